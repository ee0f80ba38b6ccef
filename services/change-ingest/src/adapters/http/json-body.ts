import express, { type Request, type RequestHandler } from 'express';
import { IngestRefusal } from '../../application/refusal.js';

/** docs/reference/ingest.md: 5 MB, counted after a compressed body was unpacked. */
export const MAX_BODY_BYTES = 5_000_000;

const JSON_TYPE = /^application\/json[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-8"?[\t ]*)?$/i;

/** Reads the bytes of a JSON body. What it refuses, it refuses before it has read more than the limit. */
export function readBody(): RequestHandler {
  const read = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  return (request, response, next) => {
    if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
      throw new IngestRefusal('unsupported_media_type', 'Send the body as "Content-Type: application/json" in UTF-8.');
    }
    read(request, response, (error?: unknown) => next(error === undefined ? undefined : bodyRefusal(error)));
  };
}

/** The body as JSON. Bytes that are no UTF-8 are refused, not replaced (RFC 8259 section 8.1). */
export function parseBody(request: Request): unknown {
  const bytes: unknown = request.body;
  try {
    if (!Buffer.isBuffer(bytes)) throw new SyntaxError('there is no body');
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new IngestRefusal('invalid_json', 'The body is not JSON in UTF-8.', { cause });
  }
}

/** What body-parser complains of, by the status that it proposes. */
function bodyRefusal(error: unknown): unknown {
  const { status } = error as { status?: unknown };
  switch (status) {
    case 413:
      return new IngestRefusal('payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
        cause: error,
      });
    case 415:
      return new IngestRefusal('unsupported_media_type', 'This content encoding is not supported.', { cause: error });
    case 400:
      return new IngestRefusal('invalid_json', 'The body could not be read.', { cause: error });
    default:
      return error;
  }
}

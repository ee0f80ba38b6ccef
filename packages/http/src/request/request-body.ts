import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@artist-watch/contracts/api/errors';
import express, { type Request, type RequestHandler, type Response } from 'express';

/** What a service takes as a body. */
export interface BodyRules {
  readonly maxBytes: number;
  /** The same for people: `16 KiB`. */
  readonly maxText: string;
  /** Whether a compressed body is unpacked; then its size counts. */
  readonly inflate: boolean;
}

/** How much, and for how long, a body that was refused is read on. */
const MAX_DRAINED_BYTES = 4 * 1024 * 1024;
const DRAIN_MS = 2_000;

/** `application/json`, at most with the one charset that JSON has (RFC 8259 section 8.1). */
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The body of one request, read when somebody asks for it, and once. */
export interface RequestBody {
  /** In lower case, without parameters; empty where the caller does not say. */
  readonly mediaType: string;
  /** @throws ApiError `payload_too_large`, `unsupported_media_type` (compressed) */
  readBytes(): Promise<Uint8Array>;
  /** @throws ApiError `unsupported_media_type`, `payload_too_large`, `invalid_json`, in this order. */
  readJson(): Promise<unknown>;
}

/** Reads the bodies that a service takes. */
export function bodyReader(rules: BodyRules): (request: IncomingMessage, response: ServerResponse) => RequestBody {
  const readRaw = express.raw({ type: () => true, limit: rules.maxBytes, inflate: rules.inflate });
  return (request, response) => {
    let bytes: Promise<Uint8Array> | undefined;
    const readBytes = () => {
      bytes ??= bytesOf(request, response, rules, readRaw);
      return bytes;
    };
    return {
      mediaType: request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '',
      readBytes,
      async readJson() {
        if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
          throw new ApiError('unsupported_media_type', 'Send the body as JSON, with "Content-Type: application/json".');
        }
        return parseJson(await readBytes());
      },
    };
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // The message of a SyntaxError quotes the body, and so perhaps a secret (docs/reference/api.md).
    const operatorText = error instanceof SyntaxError ? 'It is UTF-8, but no JSON.' : 'It is not UTF-8.';
    throw new ApiError('invalid_json', 'The body is not JSON in UTF-8.', { operatorText });
  }
}

async function bytesOf(
  request: IncomingMessage,
  response: ServerResponse,
  rules: BodyRules,
  readRaw: RequestHandler,
): Promise<Uint8Array> {
  if (/gzip|deflate|compress/i.test(request.headers['transfer-encoding'] ?? '')) throw compressed();
  if (Number(request.headers['content-length']) > rules.maxBytes) throw tooLarge(request, rules);
  // The caller waits to hear whether the body is wanted at all (RFC 9110 section 10.1.1).
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  await new Promise<void>((resolve, reject) => {
    // The parser would answer only after a body that is too large has come to its end, which it may never do.
    let readBytes = 0;
    request.on('data', function count(chunk: Buffer) {
      readBytes += chunk.length;
      if (readBytes <= rules.maxBytes) return;
      request.off('data', count);
      reject(tooLarge(request, rules));
    });
    const done = (error?: unknown) => (error ? reject(toApiError(error, request, rules)) : resolve());
    readRaw(request as Request, response as Response, done);
  });
  const { body } = request as { body?: unknown };
  return Buffer.isBuffer(body) ? body : new Uint8Array();
}

/**
 * The answer goes out at once. What is on its way is read for a while, since a reset would cost the caller the answer.
 */
function tooLarge(request: IncomingMessage, { maxText }: BodyRules): ApiError {
  const cut = () => request.socket.destroy();
  const patience = setTimeout(cut, DRAIN_MS);
  let drainedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > MAX_DRAINED_BYTES) cut();
  });
  request.once('close', () => clearTimeout(patience));
  request.once('end', () => clearTimeout(patience));
  request.resume();
  return new ApiError('payload_too_large', `The body is over ${maxText}.`);
}

function compressed(): ApiError {
  return new ApiError('unsupported_media_type', 'Send the body without compression.');
}

/** https://github.com/expressjs/body-parser#errors */
function toApiError(error: unknown, request: IncomingMessage, rules: BodyRules): unknown {
  const { type, status } = error as { type?: string; status?: number };
  switch (type) {
    case 'encoding.unsupported':
      return compressed();
    case 'entity.too.large':
      return tooLarge(request, rules);
    case 'request.size.invalid':
    case 'request.aborted':
      return new ApiError('invalid_input', 'The body does not have the length that was announced.');
    default:
      // What cannot be unpacked has no type of its own.
      return status === 400 ? new ApiError('invalid_json', 'The body cannot be unpacked.') : error;
  }
}

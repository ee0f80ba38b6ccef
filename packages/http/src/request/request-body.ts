import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError } from '@artist-watch/contracts/api/errors';

/** What a service takes as a body. */
export interface BodyRules {
  readonly maxBytes: number;
  /** The same for people: `16 KiB`. */
  readonly maxText: string;
  /** Whether a compressed body is unpacked; then its size counts. */
  readonly inflate: boolean;
  /** Whether it may be CSV in place of JSON. */
  readonly csv?: boolean;
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
  return (request, response) => {
    let bytes: Promise<Uint8Array> | undefined;
    const readBytes = () => {
      bytes ??= bytesOf(request, response, rules);
      return bytes;
    };
    return {
      mediaType: request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '',
      readBytes,
      async readJson() {
        if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
          const types = ['JSON, with "Content-Type: application/json"', ...(rules.csv ? ['CSV, with "text/csv"'] : [])];
          throw new ApiError('unsupported_media_type', `Send the body as ${types.join(', or as ')}.`);
        }
        return parseJson(await readBytes());
      },
    };
  };
}

/** One for all: to make one takes longer than to read a body of one change. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new ApiError('invalid_json', 'The body is empty; send JSON.');
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    // The message of a SyntaxError quotes the body, and so perhaps a secret (docs/reference/api.md).
    const operatorText = error instanceof SyntaxError ? 'It is UTF-8, but no JSON.' : 'It is not UTF-8.';
    throw new ApiError('invalid_json', 'The body is not JSON in UTF-8.', { operatorText });
  }
}

/** How a body may be packed (RFC 9110 section 8.4.1). */
const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

async function bytesOf(request: IncomingMessage, response: ServerResponse, rules: BodyRules): Promise<Uint8Array> {
  const { headers } = request;
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding === undefined && headers['content-length'] === undefined) return new Uint8Array();
  if (/gzip|deflate|compress/i.test(transferEncoding ?? '')) throw compressed(rules);
  if (Number(headers['content-length']) > rules.maxBytes) throw tooLarge(request, rules);
  const packing = headers['content-encoding']?.toLowerCase() || 'identity';
  const unpacker = rules.inflate && Object.hasOwn(UNPACKERS, packing) ? UNPACKERS[packing]?.() : undefined;
  if (packing !== 'identity' && !unpacker) throw compressed(rules);
  // The caller waits to hear whether the body is wanted at all (RFC 9110 section 10.1.1).
  if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue();
  return readAll(request, unpacker, rules);
}

/** Answers at once who sends more than is taken, packed or not: the end may never come. */
function readAll(request: IncomingMessage, unpacker: Transform | undefined, rules: BodyRules): Promise<Uint8Array> {
  // Its error came before anybody listened, and its end never comes.
  if (request.destroyed) return Promise.reject(cutShort());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const giveUp = (error: () => ApiError) => {
      request.off('data', onArrived).off('data', onBody);
      // A pipe that ends in an error pauses the request: the rest of the body would stay in front of the next one.
      if (unpacker) request.unpipe(unpacker);
      unpacker?.destroy();
      reject(error());
      request.resume();
    };
    const upToLimit = (take: (chunk: Buffer) => void) => {
      let bytes = 0;
      return (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > rules.maxBytes) giveUp(() => tooLarge(request, rules));
        else take(chunk);
      };
    };
    const onArrived = upToLimit(() => undefined);
    const onBody = upToLimit((chunk) => chunks.push(chunk));
    if (unpacker) request.on('data', onArrived).pipe(unpacker);
    unpacker?.on('error', () => giveUp(() => new ApiError('invalid_json', 'The body cannot be unpacked.')));
    request.once('error', () => giveUp(cutShort));
    (unpacker ?? request).on('data', onBody).once('end', () => resolve(Buffer.concat(chunks)));
  });
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

function cutShort(): ApiError {
  return new ApiError('invalid_input', 'The body does not have the length that was announced.');
}

function compressed({ inflate }: BodyRules): ApiError {
  const or = inflate ? `, or with a Content-Encoding that is one of ${Object.keys(UNPACKERS).join(', ')}` : '';
  return new ApiError('unsupported_media_type', `Send the body without compression${or}.`);
}

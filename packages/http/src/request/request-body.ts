import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError } from '@artist-watch/contracts/api/errors';

/** Matches at most 4,096 characters at a time, because RegExp runs out of memory on very long matches. */
const STRING_PART = /[ !#-[\]-\uffff]{1,4096}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
const QUOTE = /"/y;
const SPACE = /[ \t\r\n]*/y;

/** Characters that are safe to repeat in an error message. */
const SHOWN = /^[!-_a-~]$/;

/**
 * Describes the first JSON error. Quotes at most one character, because longer quotes could contain secrets.
 *
 * @returns `` unexpected `}` at position 25 ``, counted from 1
 */
export function describeJsonError(text: string): string {
  const offset = errorOffset(text);
  const character = text.slice(offset, offset + 1);
  if (character === '') return `it ends unexpectedly after character ${text.length}`;
  const what = SHOWN.test(character) ? `\`${character}\`` : 'character';
  return `unexpected ${what} at position ${offset + 1}`;
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/** Returns the offset of the first invalid character. Avoids recursion, because the text may be deeply nested. */
function errorOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isTaken = pattern.test(text);
    if (isTaken) at = pattern.lastIndex;
    return isTaken;
  };
  const takeString = () => {
    if (!take(QUOTE)) return false;
    while (take(STRING_PART));
    return take(QUOTE);
  };
  const closes = (character: string | undefined) => character === (open.at(-1) === '{' ? '}' : ']');
  for (;;) {
    take(SPACE);
    const character = text[at];
    if (character === undefined) return at;
    if (expected === ', or end') {
      if (open.length === 0) return at;
      if (closes(character)) open.pop();
      else if (character === ',') expected = open.at(-1) === '{' ? 'key' : 'value';
      else return at;
      at += 1;
    } else if (expected === ':') {
      if (character !== ':') return at;
      at += 1;
      expected = 'value';
    } else if ((expected === 'key or }' || expected === 'value or ]') && closes(character)) {
      open.pop();
      at += 1;
      expected = ', or end';
    } else if (expected === 'key' || expected === 'key or }') {
      if (!takeString()) return at;
      expected = ':';
    } else if (character === '{' || character === '[') {
      open.push(character);
      at += 1;
      expected = character === '{' ? 'key or }' : 'value or ]';
    } else {
      if (!(character === '"' ? takeString() : take(SCALAR))) return at;
      expected = ', or end';
    }
  }
}

export interface BodyRules {
  readonly maxBytes: number;
  /** Such as `16 KiB`. */
  readonly maxText: string;
  /** Accepts compressed bodies. `maxBytes` also limits the decompressed size. */
  readonly inflate: boolean;
  readonly csv?: boolean;
}

/** A body that is too large is rejected immediately, but we keep reading it up to these limits. */
const MAX_DRAINED_BYTES = 4 * 1024 * 1024;
const DRAIN_MS = 2_000;

export interface RequestBody {
  /** The media type in lower case, without parameters. Empty if the header is missing. */
  readonly mediaType: string;
  /** @throws ApiError `payload_too_large`; `unsupported_media_type` if the body is compressed. */
  readBytes(): Promise<Uint8Array>;
  /** @throws ApiError `unsupported_media_type`, `payload_too_large` or `invalid_json`, checked in this order. */
  readJson(): Promise<unknown>;
}

export function bodyReader(rules: BodyRules): (request: IncomingMessage, response: ServerResponse) => RequestBody {
  return (request, response) => {
    // JSON media types have no meaningful parameters (RFC 8259, section 11).
    const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    let bytes: Promise<Uint8Array> | undefined;
    const readBytes = () => {
      bytes ??= readUncompressed(request, response, rules);
      return bytes;
    };
    return {
      mediaType,
      readBytes,
      async readJson() {
        if (mediaType !== 'application/json') {
          const types = ['JSON, with "Content-Type: application/json"', ...(rules.csv ? ['CSV, with "text/csv"'] : [])];
          throw new ApiError('unsupported_media_type', `Send the body as ${types.join(', or as ')}.`);
        }
        const bytes = await readBytes();
        if (bytes.length === 0) throw new ApiError('invalid_json', 'The body is empty. Send JSON.');
        let text: string;
        try {
          text = utf8.decode(bytes);
        } catch {
          throw new ApiError('invalid_json', 'The body is not valid JSON: it is not UTF-8.');
        }
        try {
          return JSON.parse(text);
        } catch {
          throw new ApiError('invalid_json', `The body is not valid JSON: ${describeJsonError(text)}.`);
        }
      },
    };
  };
}

/** Shared, because creating a decoder takes longer than decoding a small body. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decompressors by content coding (RFC 9110 section 8.4.1). */
const DECOMPRESSORS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

async function readUncompressed(
  request: IncomingMessage,
  response: ServerResponse,
  rules: BodyRules,
): Promise<Uint8Array> {
  const { headers } = request;
  const transferEncoding = headers['transfer-encoding'];
  if (transferEncoding === undefined && headers['content-length'] === undefined) return new Uint8Array();
  if (/gzip|deflate|compress/i.test(transferEncoding ?? '')) throw compressed(rules);
  if (Number(headers['content-length']) > rules.maxBytes) throw tooLarge(request, rules);
  const coding = headers['content-encoding']?.toLowerCase() || 'identity';
  const decompressor = rules.inflate && Object.hasOwn(DECOMPRESSORS, coding) ? DECOMPRESSORS[coding]?.() : undefined;
  if (coding !== 'identity' && !decompressor) throw compressed(rules);
  // A client that sends `Expect: 100-continue` waits for a 100 (RFC 9110 section 10.1.1).
  if (/^100-continue$/i.test(headers.expect ?? '')) response.writeContinue();
  return readAll(request, decompressor, rules);
}

/** Rejects as soon as too many bytes have arrived, because the body may never end. */
function readAll(request: IncomingMessage, decompressor: Transform | undefined, rules: BodyRules): Promise<Uint8Array> {
  // A destroyed request doesn't emit any more events.
  if (request.destroyed) return Promise.reject(cutShort());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const giveUp = (error: () => ApiError) => {
      request.off('data', onArrived).off('data', onBody);
      // A failed pipe pauses the request, and a paused body would block the next request.
      if (decompressor) request.unpipe(decompressor);
      decompressor?.destroy();
      reject(error());
      request.resume();
    };
    let [arrivedBytes, bodyBytes] = [0, 0];
    const onArrived = (chunk: Buffer) => {
      arrivedBytes += chunk.length;
      if (arrivedBytes > rules.maxBytes) giveUp(() => tooLarge(request, rules));
    };
    const onBody = (chunk: Buffer) => {
      bodyBytes += chunk.length;
      if (bodyBytes > rules.maxBytes) giveUp(() => tooLarge(request, rules));
      else chunks.push(chunk);
    };
    if (decompressor) request.on('data', onArrived).pipe(decompressor);
    decompressor?.on('error', () => giveUp(() => new ApiError('invalid_json', 'The body cannot be decompressed.')));
    request.once('error', () => giveUp(cutShort));
    (decompressor ?? request).on('data', onBody).once('end', () => resolve(Buffer.concat(chunks)));
  });
}

/** Keeps reading the body for a while, because closing the connection immediately could discard the response. */
function tooLarge(request: IncomingMessage, { maxText }: BodyRules): ApiError {
  const cut = () => request.socket.destroy();
  const timeout = setTimeout(cut, DRAIN_MS);
  let drainedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > MAX_DRAINED_BYTES) cut();
  });
  request.once('close', () => clearTimeout(timeout));
  request.once('end', () => clearTimeout(timeout));
  request.resume();
  return new ApiError('payload_too_large', `The body is larger than ${maxText}.`);
}

function cutShort(): ApiError {
  return new ApiError('invalid_input', 'The body does not match its Content-Length.');
}

function compressed({ inflate }: BodyRules): ApiError {
  const or = inflate ? `, or with one of these Content-Encodings: ${Object.keys(DECOMPRESSORS).join(', ')}` : '';
  return new ApiError('unsupported_media_type', `Send the body without compression${or}.`);
}

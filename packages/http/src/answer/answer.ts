import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  ApiError,
  type ApiErrorCode,
  type ErrorBody,
  type ParamProblem,
  statusOf,
} from '@artist-watch/contracts/api/errors';
import { Refusal } from '@artist-watch/domain/refusals';
import { isDatabaseUnavailable, isLockTimeout } from '@artist-watch/persistence/database/database-errors';
import { GateFull } from '@artist-watch/runtime/gate';

/** A route's response, without the headers that RequestContext adds. */
export interface Answer {
  readonly status: number;
  /** Text or UTF-8 bytes. Undefined for a 204. */
  readonly body: string | Uint8Array | undefined;
  /** Default: JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TextAnswer extends Answer {
  readonly body: string;
}

/** A response that is generated only as fast as the client reads it. Has no ETag. */
export interface StreamedAnswer {
  readonly type: string;
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): TextAnswer {
  return { status, body: JSON.stringify(body), headers };
}

export const NO_CONTENT: Answer = { status: 204, body: undefined };

export function textOf({ body = '' }: Answer): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}

/** Returns a strong entity tag (RFC 9110 section 8.8.3). */
export function entityTag(body: Uint8Array | string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** True if `If-None-Match` contains the tag (RFC 9110 section 13.1.2). Our tags contain no commas. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === tag || candidate === `W/${tag}`;
  });
}

export interface HttpProblem {
  readonly code: ApiErrorCode;
  readonly message: string;
  readonly errors: readonly ParamProblem[];
  readonly headers: Readonly<Record<string, string>>;
  readonly operatorText: string | undefined;
  /** Undefined if the error doesn't need a stack trace in the log. */
  readonly fault: unknown;
}

/** Converts any error into a problem whose message does not reveal internals. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof ApiError) {
    const { code, message, errors, headers, operatorText, cause } = error;
    return { code, message, errors, headers, operatorText, fault: cause };
  }
  if (error instanceof Refusal) {
    const { code, message } = error;
    return { code, message, errors: [], headers: {}, operatorText: undefined, fault: undefined };
  }
  if (anyCause(error, isDatabaseUnavailable)) {
    return {
      code: 'service_unavailable',
      message: 'The service cannot reach its database. Try again in 1 s.',
      errors: [],
      headers: { 'Retry-After': '1' },
      operatorText: 'PostgreSQL is unavailable.',
      fault: error,
    };
  }
  if (anyCause(error, (cause) => cause instanceof GateFull || isLockTimeout(cause))) {
    return {
      code: 'service_unavailable',
      message: 'The service is processing too many requests of this kind. Try again in 1 s.',
      errors: [],
      headers: { 'Retry-After': '1' },
      operatorText:
        'Too many callers were waiting, or one waited too long (GateFull), or the wait for a database lock timed out.',
      fault: undefined,
    };
  }
  return {
    code: 'internal_error',
    message: 'An error occurred in the service and was logged. Try again later.',
    errors: [],
    headers: {},
    operatorText: 'Unexpected error.',
    fault: error,
  };
}

/** Formats a problem as the API's error response (docs/api/requests.md). */
export function problemAnswer({
  code,
  message,
  errors = [],
  headers,
}: Pick<HttpProblem, 'code' | 'message' | 'headers'> & Partial<Pick<HttpProblem, 'errors'>>): TextAnswer {
  const error: ErrorBody = { error: { code, message, ...(errors.length > 0 && { errors }) } };
  return { status: statusOf(code), body: JSON.stringify(error), headers };
}

const MAX_CAUSES = 5;

function anyCause(error: unknown, test: (error: unknown) => boolean): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth += 1) {
    if (test(current)) return true;
    current = current instanceof Error ? current.cause : undefined;
  }
  return false;
}

/** Even slow mobile connections are faster than this minimum. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
/**
 * The minimum only applies after this time, because the operating system's buffers hide the client's real speed at
 * first.
 */
const GRACE_MS = 15_000;
const MAX_TIMER_MS = 3_600_000;

class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/**
 * Streams a body after the headers, one chunk at a time.
 *
 * An error resets the connection, so that clients notice the missing last chunk (RFC 9112 section 8). Clients below a
 * minimum speed are disconnected.
 *
 * @throws the generator's error, or TooSlow.
 */
export async function streamBody(
  response: ServerResponse,
  chunks: AsyncGenerator<Uint8Array>,
  { graceMs = GRACE_MS, minBytesPerSecond = MIN_BYTES_PER_SECOND } = {},
): Promise<void> {
  const stopWaiting = new AbortController();
  let sentBytes = 0;
  let waitedMs = 0;
  const onClose = () => stopWaiting.abort();
  response.once('close', onClose);
  try {
    for await (const chunk of chunks) {
      if (!response.destroyed && !response.write(chunk)) {
        const allowedMs = graceMs + (sentBytes / minBytesPerSecond) * 1_000 - waitedMs;
        const sinceMs = performance.now();
        let isLate = false;
        const late = setTimeout(
          () => {
            isLate = true;
            stopWaiting.abort();
          },
          Math.min(allowedMs, MAX_TIMER_MS),
        );
        await once(response, 'drain', { signal: stopWaiting.signal }).catch(() => undefined);
        clearTimeout(late);
        waitedMs += performance.now() - sinceMs;
        if (isLate) throw new TooSlow(`The client reads too slowly: ${sentBytes} bytes in ${Math.round(waitedMs)} ms.`);
      }
      sentBytes += chunk.length;
      // Empty chunks let the generator check whether the client has disconnected.
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.socket?.resetAndDestroy();
    throw error;
  } finally {
    response.off('close', onClose);
  }
}

/**
 * Generates the first `count` chunks before the response starts, so that an error can still become an error response.
 * Returns all chunks, including these.
 */
export async function begun(chunks: AsyncGenerator<Uint8Array>, count: number): Promise<AsyncGenerator<Uint8Array>> {
  const first: Uint8Array[] = [];
  for (let made = 0; made < count; made += 1) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
  }
  const all = (async function* () {
    try {
      yield new Uint8Array();
      yield Buffer.concat(first);
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  })();
  // A generator that was never started doesn't run its `finally` block.
  await all.next();
  return all;
}

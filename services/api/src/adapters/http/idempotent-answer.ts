import { createHash } from 'node:crypto';
import { ApiError, invalidParam } from '@artist-watch/contracts/api/errors';
import { type Answer, problemAnswer, textOf, toProblem } from '@artist-watch/http/answer/answer';
import type { RequestBody } from '@artist-watch/http/request/request-body';
import {
  type Earlier,
  type IdempotencyStore,
  type KeyedRequest,
  Overtaken,
  type StoredResponse,
  StoredResponsesFull,
} from '@artist-watch/persistence/idempotency-store';
import { GateFull, type Gates } from '@artist-watch/runtime/gate';
import type { ApiRequest } from './route.js';

/** Printable ASCII without spaces. Other APIs use the same maximum length. */
const KEY = /^[\x21-\x7e]{1,255}$/;

const SHORT_WAIT = { 'Retry-After': '1' };

/** Error responses with these statuses are stored, so retries get the same response. */
const STORED_REFUSALS: ReadonlySet<number> = new Set([403, 404, 409]);

export interface OnceOptions {
  readonly record: IdempotencyStore;
  readonly turns: Gates;
  /**
   * Called if a response was sent but could not be stored. A retry gets the response stored with the write, or runs the
   * request again if nothing was written.
   */
  readonly onNotKept: (error: unknown) => void;
}

/**
 * Runs the first request with an Idempotency-Key, and sends the same response to retries (docs/api/requests.md).
 * Responses to invalid requests are not stored, so that the corrected request can reuse the key.
 *
 * @param target method and path
 */
export async function answerOnce(
  { record, turns, onNotKept }: OnceOptions,
  {
    target,
    body,
    ...named
  }: Omit<KeyedRequest, 'requestDigest'> & { readonly target: string; readonly body: RequestBody },
  answer: (once: ApiRequest['once']) => Promise<Answer>,
): Promise<Answer> {
  if (!KEY.test(named.key)) {
    throw invalidParam(
      'invalid_input',
      'Idempotency-Key',
      'Idempotency-Key must have 1 to 255 printable ASCII characters without spaces.',
    );
  }
  const requestDigest = createHash('sha256')
    .update(`${target}\n`)
    .update(await body.readBytes())
    .digest();
  const keyed: KeyedRequest = { ...named, requestDigest };

  let hasBegun = false;
  const inTurn = async () => {
    hasBegun = true;
    const open = await record.find(keyed);
    if (open.kind !== 'open') return repeated(open);
    let kept: string | undefined;
    try {
      const answered = await answer((present) =>
        record.once(keyed, (result) => {
          const own = keptOf(present(result));
          kept = own.body;
          return own;
        }),
      );
      // The final response can contain data that wasn't known yet inside the transaction.
      if (textOf(answered) !== kept) await record.keep(keyed, keptOf(answered)).catch(onNotKept);
      return answered;
    } catch (error) {
      if (error instanceof Overtaken) return repeated(await record.find(keyed));
      const { status, body } = problemAnswer(toProblem(error));
      if (!STORED_REFUSALS.has(status)) throw error;
      // The error may have been caused by a retry in another process, for example if that retry created the destination
      // first.
      if (!(await record.keep(keyed, { status, body }, open))) return repeated(await record.find(keyed));
      throw error;
    }
  };
  try {
    return await turns.run(`idempotency:${named.accountId}:${named.key}`, inTurn);
  } catch (error) {
    if (error instanceof GateFull && !hasBegun) throw stillRunning();
    if (error instanceof StoredResponsesFull) throw full(error);
    throw error;
  }
}

function keptOf(answer: Answer): StoredResponse {
  return { status: answer.status, body: textOf(answer) };
}

function repeated(earlier: Earlier): Answer {
  switch (earlier.kind) {
    case 'answered': {
      const { status, body } = earlier;
      return { status, body: body === '' ? undefined : body, headers: { 'Idempotency-Replayed': 'true' } };
    }
    case 'conflict':
      throw new ApiError(
        'idempotency_conflict',
        'This Idempotency-Key was used with a different body or URL. Send the same request again or use a new key.',
      );
    case 'open':
      throw stillRunning();
  }
}

function full({ retryAfterSeconds }: StoredResponsesFull): ApiError {
  const message =
    "The responses stored for this account's Idempotency-Keys in the last 24 hours have reached 64 MB. " +
    `Try again in ${retryAfterSeconds} s, or send the request without an Idempotency-Key.`;
  return new ApiError('service_unavailable', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

function stillRunning(): ApiError {
  return new ApiError(
    'idempotency_conflict',
    'The first request with this Idempotency-Key is still running. Try again in 1 s.',
    {
      headers: SHORT_WAIT,
    },
  );
}

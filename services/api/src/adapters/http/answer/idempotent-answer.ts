import { createHash } from 'node:crypto';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { type Answer, textOf } from '@artist-watch/http/answer/answer';
import { problemAnswer, toProblem } from '@artist-watch/http/answer/problem';
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
import type { ApiRequest } from '../route.js';

/** Printable ASCII, as long as what others take. */
const KEY = /^[\x21-\x7e]{1,255}$/;

const SHORT_WAIT = { 'Retry-After': '1' };

export interface OnceOptions {
  readonly record: IdempotencyStore;
  /** Repeats of one request take turns in a process. */
  readonly turns: Gates;
  /** Receives why an answer was sent and not kept: a repeat is answered anew. */
  readonly onNotKept: (error: unknown) => void;
}

/**
 * Answers a request that carries an Idempotency-Key: the first one by doing it, its repeats by what came of it
 * (docs/reference/api.md). The transaction that does the work keeps the answer too. A refusal is kept afterwards; a fault
 * of ours or a limit that was reached is not: a repeat tries again.
 *
 * @param target method and path.
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
    throw new ApiError('invalid_input', 'An Idempotency-Key has 1 to 255 printable ASCII characters, and no space.');
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
      // It may say more than was known at the commit.
      if (textOf(answered) !== kept) await record.keep(keyed, keptOf(answered)).catch(onNotKept);
      return answered;
    } catch (error) {
      if (error instanceof Overtaken) return repeated(await record.find(keyed));
      const { status, body } = problemAnswer(toProblem(error));
      if (status >= 500 || status === 429) throw error;
      // It may be what a repeat did meanwhile that this one was refused for.
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
      throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used for another request.');
    case 'open':
      throw stillRunning();
  }
}

function full({ retryAfterSeconds }: StoredResponsesFull): ApiError {
  const message =
    'This account has stored 64 MB of responses under Idempotency-Keys within a day. Wait, or send no key.';
  return new ApiError('service_unavailable', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

function stillRunning(): ApiError {
  return new ApiError('idempotency_conflict', 'The request with this Idempotency-Key is still being answered.', {
    headers: SHORT_WAIT,
  });
}

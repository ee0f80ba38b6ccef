import { createHash } from 'node:crypto';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { type Answer, textOf } from '@artist-watch/http/answer/answer';
import { problemAnswer, toProblem } from '@artist-watch/http/answer/problem';
import {
  type IdempotencyRecord,
  type IdempotencyStore,
  type KeyedRequest,
  Superseded,
} from '@artist-watch/persistence/idempotency-store';
import type { NewIds, RepeatableIds } from '../../../application/management/deterministic-ids.js';
import type { ApiRequest } from '../route.js';

/** Printable ASCII, as long as what others take. */
const KEY = /^[\x21-\x7e]{1,255}$/;

const SHORT_WAIT = { 'Retry-After': '1' };

/** How long a repeat waits for the first to be answered, which takes longer only when its process has died. */
const PATIENCE_MS = 5_000;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 250;

/** A connection that was lost is replaced by then, and a server that fails over may be back. */
const PAUSE_BEFORE_KEEPING_AGAIN_MS = 500;

export interface OnceOptions {
  readonly record: IdempotencyStore;
  readonly newIds: RepeatableIds;
  readonly pause: (ms: number) => Promise<unknown>;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Told why the answer to what was done is not kept: a repeat will be answered from the record instead. */
  readonly onNotKept: (error: unknown) => void;
}

/** What a keyed request has in place of what other requests draw at random. */
export interface Repeatable {
  readonly newIds: NewIds;
  readonly idempotencyRecord: IdempotencyRecord;
}

/**
 * Answers a request that carries an Idempotency-Key: the first one by doing it, its repeats by what came of it
 * (docs/reference/api.md), those too that come while it is being done. A fault of ours, or a limit that was reached,
 * is not
 * an answer that is kept: a repeat tries again. What was done all the same is recorded, so the repeat
 * skips it and answers from there,
 * with the same ids and secrets, since its ids are derived from the key.
 *
 * @param target method and path.
 */
export async function answerOnce(
  options: OnceOptions,
  { key, target, request }: { readonly key: string; readonly target: string; readonly request: ApiRequest },
  answer: (repeatable: Repeatable) => Promise<Answer>,
): Promise<Answer> {
  if (!KEY.test(key)) {
    throw new ApiError('invalid_input', 'An Idempotency-Key has 1 to 255 printable ASCII characters.');
  }
  const keyed: KeyedRequest = {
    accountId: request.identity.accountId,
    key,
    requestDigest: createHash('sha256')
      .update(`${target}\n`)
      .update(await request.readBytes())
      .digest(),
    now: request.now,
  };
  const beginning = await beginOrWait(options, keyed);
  switch (beginning.kind) {
    case 'begun': {
      const { since, progress } = beginning;
      const newIds = options.newIds({ ...keyed, since });
      const idempotencyRecord = { accountId: keyed.accountId, key, begunAt: keyed.now, progress };
      return doOnce(options, keyed, () => answer({ newIds, idempotencyRecord }));
    }
    case 'answered': {
      const { status, body } = beginning;
      return { status, body: body === '' ? undefined : body, headers: { 'Idempotency-Replayed': 'true' } };
    }
    case 'running':
      throw stillRunning();
    case 'conflict':
      throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used for another request.');
  }
}

async function beginOrWait({ record, pause, monotonicMs }: OnceOptions, keyed: KeyedRequest) {
  const untilMs = monotonicMs() + PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const beginning = await record.begin(keyed);
    if (beginning.kind !== 'running' || monotonicMs() + pauseMs > untilMs) return beginning;
    await pause(pauseMs);
  }
}

async function doOnce(options: OnceOptions, keyed: KeyedRequest, work: () => Promise<Answer>): Promise<Answer> {
  const { record, onNotKept } = options;
  let answer: Answer;
  try {
    answer = await work();
  } catch (error) {
    if (error instanceof Superseded) throw stillRunning();
    const { status, body } = problemAnswer(toProblem(error));
    if (status >= 500 || status === 429) {
      // What went wrong first is what to tell. A repeat that cannot take over at once can soon.
      await record.forget(keyed).catch(() => undefined);
      throw error;
    }
    // It may be what a repeat did meanwhile that this one was refused for.
    if (!(await keep(options, keyed, { status, body }))) throw stillRunning();
    throw error;
  }
  await keep(options, keyed, { status: answer.status, body: textOf(answer) }).catch(onNotKept);
  return answer;
}

/** Tries twice: without it, the repeats of what is done already wait, and are refused for a while. */
async function keep({ record, pause }: OnceOptions, keyed: KeyedRequest, kept: { status: number; body: string }) {
  try {
    return await record.finish(keyed, kept);
  } catch {
    await pause(PAUSE_BEFORE_KEEPING_AGAIN_MS);
    return record.finish(keyed, kept);
  }
}

function stillRunning(): ApiError {
  return new ApiError('idempotency_conflict', 'The request with this Idempotency-Key is still being answered.', {
    headers: SHORT_WAIT,
  });
}

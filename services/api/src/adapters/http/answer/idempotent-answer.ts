import { createHash } from 'node:crypto';
import { Superseded } from '@artist-watch/persistence/idempotency-receipt';
import { ApiError } from '../../../application/api-error.js';
import type { Draws, RepeatableDraws } from '../../../application/management/draws.js';
import type { IdempotencyRecord, KeyedRequest, Receipt } from '../../../application/management/ports.js';
import type { ApiRequest } from '../route.js';
import { type Answer, textOf } from './answer.js';
import { toProblem } from './problem.js';

/** Printable ASCII, as long as what others take. */
const KEY = /^[\x21-\x7e]{1,255}$/;

const SHORT_WAIT = { 'Retry-After': '1' };

/** How long a repeat waits for the first to be answered, which takes longer only when its process has died. */
const PATIENCE_MS = 5_000;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 250;

export interface OnceOptions {
  readonly record: IdempotencyRecord;
  readonly draws: RepeatableDraws;
  readonly pause: (ms: number) => Promise<unknown>;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** What a keyed request has in place of what other requests draw at random. */
export interface Repeatable {
  readonly draws: Draws;
  readonly receipt: Receipt;
}

/**
 * Answers a request that carries an Idempotency-Key: the first one by doing it, its repeats by what came of it (DESIGN
 * section 4, idempotency), those too that come while it is being done. A fault of ours is not an answer that is kept: a
 * repeat tries again. What was done all the same is marked in the record, so the repeat skips it and answers from there,
 * with the same ids and secrets, since it draws the same ones.
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
      const draws = options.draws({ ...keyed, since });
      const receipt = { accountId: keyed.accountId, key, begunAt: keyed.now, progress };
      return doOnce(options.record, keyed, () => answer({ draws, receipt }));
    }
    case 'answered': {
      const { status, body } = beginning;
      return { status, json: body === '' ? undefined : body, headers: { 'Idempotency-Replayed': 'true' } };
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

async function doOnce(record: IdempotencyRecord, keyed: KeyedRequest, work: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await work();
  } catch (error) {
    if (error instanceof Superseded) throw stillRunning();
    const { status, json } = toProblem(error).answer;
    await (status < 500 ? record.finish(keyed, { status, body: json }) : record.forget(keyed));
    throw error;
  }
  await record.finish(keyed, { status: answer.status, body: textOf(answer) });
  return answer;
}

function stillRunning(): ApiError {
  return new ApiError('idempotency_conflict', 'The request with this Idempotency-Key is still being answered.', {
    headers: SHORT_WAIT,
  });
}

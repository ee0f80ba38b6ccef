import { createHash } from 'node:crypto';
import { ApiError } from '../../../application/api-error.js';
import type { Draws, RepeatableDraws } from '../../../application/management/draws.js';
import type { IdempotencyRecord, KeyedRequest } from '../../../application/management/ports.js';
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

/**
 * Answers a request that carries an Idempotency-Key: the first one by doing it, its repeats by what came of it (DESIGN
 * section 4, idempotency), those too that come while it is being done. A fault of ours is not an answer that is kept: a
 * repeat tries again, and since it draws the same ids and secrets, it makes nothing twice.
 *
 * @param target method and path.
 */
export async function answerOnce(
  options: OnceOptions,
  { key, target, request }: { readonly key: string; readonly target: string; readonly request: ApiRequest },
  answer: (draws: Draws) => Promise<Answer>,
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
  const { record, draws } = options;
  const beginning = await beginOrWait(options, keyed);
  switch (beginning.kind) {
    case 'begun':
      return doOnce(record, keyed, () => answer(draws({ ...keyed, since: beginning.since })));
    case 'answered': {
      const { status, body } = beginning;
      return { status, json: body === '' ? undefined : body, headers: { 'Idempotency-Replayed': 'true' } };
    }
    case 'running':
      throw new ApiError('idempotency_conflict', 'The request with this Idempotency-Key is still being answered.', {
        headers: SHORT_WAIT,
      });
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
    const { status, json } = toProblem(error).answer;
    await (status < 500 ? record.finish(keyed, { status, body: json }) : record.forget(keyed));
    throw error;
  }
  await record.finish(keyed, { status: answer.status, body: textOf(answer) });
  return answer;
}

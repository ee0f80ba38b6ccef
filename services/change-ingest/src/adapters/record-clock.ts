import type { Database } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import { every } from '@artist-watch/runtime/periodic';

export interface RecordClock extends Clock {
  /** Resolves when it is no longer set. */
  readonly done: Promise<void>;
}

const SET_EVERY_MS = 30_000;

/** A slower answer says too little about when it was given. */
const WORTHY_ANSWER_MS = 1_000;
/** A process that starts beside others is slow for a moment, and the machine's own clock is all that it has otherwise. */
const TRIES_AT_START = 5;

/**
 * The record's time, read off a clock that never steps (docs/adr/0043): what one replica observes and the next one
 * compares, how long a suspicion has lasted and until when an artist is claimed must not depend on whose machine's clock
 * is right. While the record is away it goes on by itself.
 */
export async function startRecordClock(
  { pool }: Database,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<RecordClock> {
  let zeroMs: number | undefined;
  for (let tries = 0; zeroMs === undefined && tries < TRIES_AT_START; tries += 1) zeroMs = await readZero();
  const setting = every({
    intervalMs: SET_EVERY_MS,
    firstAfterMs: SET_EVERY_MS,
    signal,
    onError,
    async run() {
      zeroMs = (await readZero()) ?? zeroMs;
    },
  });
  const ownZeroMs = Date.now() - performance.now();
  return { now: () => new Date(Math.round((zeroMs ?? ownZeroMs) + performance.now())), done: setting.done };

  /** The record's time when performance.now() was 0; undefined when the answer took too long to tell. */
  async function readZero(): Promise<number | undefined> {
    const askedAtMs = performance.now();
    const { rows } = await pool.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    const answeredAtMs = performance.now();
    const [row] = rows;
    if (!row || answeredAtMs - askedAtMs > WORTHY_ANSWER_MS) return undefined;
    return row.ms - (askedAtMs + answeredAtMs) / 2;
  }
}

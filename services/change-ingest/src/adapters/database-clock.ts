import type { Database } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import { every } from '@artist-watch/runtime/periodic';

export interface DatabaseClock extends Clock {
  readonly done: Promise<void>;
}

const ADJUST_INTERVAL_MS = 30_000;

/** If the query takes longer, the time it returns is too inaccurate to use. */
const MAX_QUERY_MS = 1_000;
/**
 * Retries, because a process's first queries can be slow. If all tries are slow, the machine's clock is used instead.
 */
const START_TRIES = 5;

/**
 * Starts a clock that follows PostgreSQL's time, so that all replicas agree (docs/adr/0043). While PostgreSQL is down,
 * it follows the monotonic clock.
 */
export async function startDatabaseClock(
  { pool }: Database,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<DatabaseClock> {
  let zeroMs: number | undefined;
  for (let tries = 0; zeroMs === undefined && tries < START_TRIES; tries += 1) zeroMs = await readZero();
  const adjustment = every({
    intervalMs: ADJUST_INTERVAL_MS,
    firstAfterMs: ADJUST_INTERVAL_MS,
    signal,
    onError,
    async run() {
      zeroMs = (await readZero()) ?? zeroMs;
    },
  });
  const machineZeroMs = Date.now() - performance.now();
  return { now: () => new Date(Math.round((zeroMs ?? machineZeroMs) + performance.now())), done: adjustment.done };

  /**
   * Returns PostgreSQL's time, in ms, at the moment when performance.now() was 0. Undefined if the query took too long.
   */
  async function readZero(): Promise<number | undefined> {
    const sentAtMs = performance.now();
    const { rows } = await pool.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    const receivedAtMs = performance.now();
    const [row] = rows;
    if (!row || receivedAtMs - sentAtMs > MAX_QUERY_MS) return undefined;
    return row.ms - (sentAtMs + receivedAtMs) / 2;
  }
}

import { randomInt } from 'node:crypto';
import { sleep } from '@artist-watch/runtime/sleep';
import pg from 'pg';
import { inTransaction } from './database.js';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: serialization_failure, deadlock_detected. */
const LOST_TO_ANOTHER = new Set(['40001', '40P01']);

const MAX_TRIES = 5;
const PAUSE_STEP_MS = 20;

/**
 * `inTransaction`, begun again from the start when the server sacrificed it to another transaction. `work` must decide
 * only from what it reads inside.
 */
export async function inRetriedTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      if (!isLostToAnother(error) || tryNumber === MAX_TRIES) throw error;
      // The one that won should be gone, and two that lost should not meet again.
      await sleep(randomInt(PAUSE_STEP_MS * tryNumber));
    }
  }
}

function isLostToAnother(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== undefined && LOST_TO_ANOTHER.has(error.code);
}

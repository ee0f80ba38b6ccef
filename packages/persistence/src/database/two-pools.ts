import { type Database, openDatabase } from './database.js';

/** Somebody waits for the answer: no longer for a database that does not answer. */
const STATEMENT_TIMEOUT_MS = 3_000;
const LOCK_TIMEOUT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 4_000;
const CONNECT_TIMEOUT_MS = 2_000;

/** Of the connections; a write takes one for some milliseconds, and there are many reads to each. */
const PART_FOR_WRITES = 0.3;

export interface Databases {
  /** For key look-ups too. */
  readonly reads: Database;
  readonly writes: Database;
}

/**
 * Two pools of a service that answers requests, so that whatever writes wait for, they never take a connection from a read
 * or from the look-up of a key (docs/adr/0028).
 *
 * @param service shown in pg_stat_activity, with `-writes` for those.
 */
export function openDatabases(
  service: string,
  settings: { readonly DATABASE_URL: string; readonly DATABASE_POOL_SIZE: number },
  options: { readonly onConnectionLost: (error: Error) => void; readonly turnWaitMs?: number },
): Databases {
  const writers = Math.max(1, Math.floor(settings.DATABASE_POOL_SIZE * PART_FOR_WRITES));
  const open = (applicationName: string, poolSize: number) =>
    openDatabase({
      url: settings.DATABASE_URL,
      poolSize,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      applicationName,
      ...options,
    });
  return { reads: open(service, settings.DATABASE_POOL_SIZE - writers), writes: open(`${service}-writes`, writers) };
}

import { type Database, openDatabase } from './database.js';

/** The timeouts are short, because an HTTP client is waiting. */
const STATEMENT_TIMEOUT_MS = 3_000;
const LOCK_TIMEOUT_MS = 1_000;
const RESPONSE_TIMEOUT_MS = 4_000;
const CONNECT_TIMEOUT_MS = 2_000;

/** Writes get fewer connections than reads, because they are quick (a few milliseconds) and much less frequent. */
const WRITE_SHARE = 0.3;

export interface Databases {
  readonly reads: Database;
  readonly writes: Database;
}

/**
 * Opens separate pools, so that waiting writes never take connections from reads (docs/adr/0028).
 * @param service the name shown in pg_stat_activity.
 */
export function openDatabases(
  service: string,
  settings: { readonly DATABASE_URL: string; readonly DATABASE_POOL_SIZE: number },
  options: { readonly accountWaitMs?: number } = {},
): Databases {
  const writers = Math.max(1, Math.floor(settings.DATABASE_POOL_SIZE * WRITE_SHARE));
  const open = (applicationName: string, poolSize: number) =>
    openDatabase({
      url: settings.DATABASE_URL,
      poolSize,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
      responseTimeoutMs: RESPONSE_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      applicationName,
      ...options,
    });
  return { reads: open(service, settings.DATABASE_POOL_SIZE - writers), writes: open(`${service}-writes`, writers) };
}

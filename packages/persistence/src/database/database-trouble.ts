import { randomInt } from 'node:crypto';
import { sleep } from '@artist-watch/runtime/clock';
import pg from 'pg';
import { inTransaction } from './database.js';

/**
 * Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html that speak of the server's state
 * and not of the statement: connection exception, invalid authorization (a password that was changed before this process
 * got the new one), invalid catalog name (a database that is being replaced), insufficient resources, operator
 * intervention, system error, and the read-only server that a fail-over leaves behind.
 */
const AWAY_CLASSES = new Set(['08', '28', '3D', '53', '57', '58']);
const READ_ONLY_TRANSACTION = '25006';
const SQLSTATE = /^[0-9A-Z]{5}$/;

const AWAY_SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * What Prisma calls the same: not reachable, timed out, closed, no connection free in time. What it cannot name it passes
 * on with the server's own code.
 */
const AWAY_PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028']);

/** The driver's own errors have no code. */
const AWAY_DRIVER_MESSAGES = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect/,
  /^timeout expired/,
  /^Client has encountered a connection error/,
];

/** Is it the database that is away or overloaded, so that the same request may succeed later unchanged? */
export function isDatabaseAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errors } = error as Record<string, unknown>;
  const behindPrisma = codeBehindPrisma(error);
  if (behindPrisma !== undefined) return isDatabaseAway({ code: behindPrisma });
  if (typeof code === 'string') {
    if (AWAY_PRISMA_CODES.has(code)) return true;
    if (AWAY_SOCKET_CODES.has(code) || code === READ_ONLY_TRANSACTION) return true;
    if (SQLSTATE.test(code)) return AWAY_CLASSES.has(code.slice(0, 2));
  }
  // One attempt for each address of the host.
  if (Array.isArray(errors)) return errors.some(isDatabaseAway);
  return typeof message === 'string' && AWAY_DRIVER_MESSAGES.some((known) => known.test(message));
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: query_canceled, after `statement_timeout`. */
const QUERY_CANCELED = '57014';

/** Has the server ended the statement because it took too long? What asks for less may succeed. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available, after `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Has the statement waited too long for a lock of another transaction? The same request may succeed later unchanged. */
export function isLockTimeout(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return (codeBehindPrisma(error) ?? (error as { code?: unknown }).code) === LOCK_NOT_AVAILABLE;
}

function codeBehindPrisma(error: object): string | undefined {
  return (error as { meta?: PrismaMeta }).meta?.driverAdapterError?.cause?.originalCode;
}

interface PrismaMeta {
  readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: string } };
}

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

import { randomInt } from 'node:crypto';
import { sleep } from '@artist-watch/runtime/clock';
import pg from 'pg';
import { inTransaction } from './database.js';

/**
 * These error classes indicate a problem with the server rather than with the statement.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57', '58']);
const READ_ONLY_TRANSACTION = '25006';
const SQLSTATE = /^[0-9A-Z]{5}$/;

const UNAVAILABLE_SOCKET_CODES = new Set([
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

/** Prisma's own codes for an unavailable database. Its other errors contain the server's code. */
const UNAVAILABLE_PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028']);

/** The pg driver's own errors have no code, so match their messages. */
const UNAVAILABLE_DRIVER_MESSAGES = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect/,
  /^timeout expired/,
  /^Client has encountered a connection error/,
];

/** True if the database is unreachable or overloaded. The same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errors } = error as Record<string, unknown>;
  const databaseCode = originalCode(error);
  if (databaseCode !== undefined) return isDatabaseUnavailable({ code: databaseCode });
  if (typeof code === 'string') {
    if (UNAVAILABLE_PRISMA_CODES.has(code)) return true;
    if (UNAVAILABLE_SOCKET_CODES.has(code) || code === READ_ONLY_TRANSACTION) return true;
    if (SQLSTATE.test(code)) return UNAVAILABLE_CLASSES.has(code.slice(0, 2));
  }
  // An AggregateError contains one error for each of the host's IP addresses.
  if (Array.isArray(errors)) return errors.some(isDatabaseUnavailable);
  return typeof message === 'string' && UNAVAILABLE_DRIVER_MESSAGES.some((known) => known.test(message));
}

/** query_canceled, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const QUERY_CANCELED = '57014';

/** True if the statement took too long. A smaller request may succeed. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}

/** lock_not_available, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOCK_NOT_AVAILABLE = '55P03';

/** True if the statement waited too long for a lock. The same request may succeed later. */
export function isLockTimeout(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return (originalCode(error) ?? (error as { code?: unknown }).code) === LOCK_NOT_AVAILABLE;
}

function originalCode(error: object): string | undefined {
  return (error as { meta?: PrismaMeta }).meta?.driverAdapterError?.cause?.originalCode;
}

interface PrismaMeta {
  readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: string } };
}

/** serialization_failure and deadlock_detected, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CONFLICT_CODES = new Set(['40001', '40P01']);

const MAX_TRIES = 5;
const PAUSE_STEP_MS = 20;

/**
 * Like `inTransaction`, but retries after a deadlock or serialization failure. `work` must base its decisions only on
 * data that it reads inside the transaction.
 */
export async function inRetriedTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      if (!isTransactionConflict(error) || tryNumber === MAX_TRIES) throw error;
      // The pause is random, so that two retries don't collide again.
      await sleep(randomInt(PAUSE_STEP_MS * tryNumber));
    }
  }
}

function isTransactionConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== undefined && CONFLICT_CODES.has(error.code);
}

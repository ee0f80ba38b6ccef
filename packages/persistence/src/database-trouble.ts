import pg from 'pg';

/**
 * Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html that speak of the server's state
 * and not of the statement: connection exception, insufficient resources, operator intervention, system error, and the
 * read-only server that a fail-over leaves behind.
 */
const AWAY_CLASSES = new Set(['08', '53', '57', '58']);
const READ_ONLY_TRANSACTION = '25006';

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

/** The driver's own errors have no code. */
const AWAY_DRIVER_MESSAGES = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect/,
  /^timeout expired/,
  /^Query read timeout/,
  /^Client has encountered a connection error/,
];

/** Is it the database that is away or overloaded, so that the same request may succeed later unchanged? */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return error.code === READ_ONLY_TRANSACTION || AWAY_CLASSES.has((error.code ?? '').slice(0, 2));
  }
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && AWAY_SOCKET_CODES.has(code)) return true;
  return AWAY_DRIVER_MESSAGES.some((message) => message.test(error.message));
}

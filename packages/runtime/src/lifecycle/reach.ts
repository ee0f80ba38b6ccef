import { within } from '../clock.js';
import { connectionProblem, maskCredentials, StartError } from '../settings/start-failure.js';

export interface Dependency {
  /** The name for the operator, such as `PostgreSQL`. */
  readonly what: string;
  /** The name of its setting, such as `DATABASE_URL`. */
  readonly setting: string;
  /** The value of that setting. Messages show only its host and port. */
  readonly url: string;
  /** Default: 10 s. */
  readonly timeoutMs?: number;
}

/**
 * Thrown by a check if the dependency responds but cannot be used. The message completes the sentence `PostgreSQL at
 * db:5432 (DATABASE_URL) cannot be used: …` and has no full stop.
 */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Checks that a dependency responds while a service starts.
 *
 * @param check sends one request (`SELECT 1`, `PING`). Its signal is aborted at the timeout.
 * @throws StartError such as `PostgreSQL at db:5432 (DATABASE_URL) cannot be reached: connection refused.`
 */
export async function reach(dependency: Dependency, check: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const { what, setting, url, timeoutMs = DEFAULT_TIMEOUT_MS } = dependency;
  const timeout = new AbortController();
  try {
    await within(timeoutMs, check(timeout.signal), () => {
      timeout.abort();
      throw Object.assign(new Error(`no response within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
    });
  } catch (error) {
    const problem =
      error instanceof Unusable ? `used: ${error.message}` : `reached: ${connectionProblem(error) ?? firstLine(error)}`;
    throw new StartError(`${what} at ${hostOf(url)} (${setting}) cannot be ${problem}.`, { cause: error });
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'an invalid URL';
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n').find((text) => text.trim() !== '') ?? 'unknown error';
  return maskCredentials(line.trim()).replace(/\.$/, '');
}

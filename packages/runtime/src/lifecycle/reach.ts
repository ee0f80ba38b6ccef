import { within } from '../clock.js';
import { connectionProblem, maskCredentials, StartError } from '../settings/start-failure.js';

export interface Dependency {
  readonly what: string;
  readonly setting: string;
  readonly url: string;
  /** Default: 10 s. */
  readonly timeoutMs?: number;
}

/**
 * The dependency responds but cannot be used. The message completes `PostgreSQL at db:5432 (DATABASE_URL) cannot be
 * used: …`.
 */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Checks at startup that a dependency responds.
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

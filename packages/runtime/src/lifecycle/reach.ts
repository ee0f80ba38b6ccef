import { within } from '../clock.js';
import { connectionTrouble, maskCredentials, StartError } from '../settings/start-failure.js';

export interface Dependency {
  /** As the operator calls it: `PostgreSQL`, `Redis`. */
  readonly what: string;
  /** The setting that names it: `DATABASE_URL`. */
  readonly setting: string;
  /** The value of that setting; only its host and port are ever shown. */
  readonly url: string;
  /** 10 s unless given. */
  readonly timeoutMs?: number;
}

/**
 * For a check to throw when the dependency answers and cannot be used all the same; the message completes
 * `PostgreSQL at db:5432 (DATABASE_URL) cannot be used: …` and has no full stop.
 */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Proves at start that a dependency answers. Throws a StartError such as
 * `PostgreSQL at db:5432 (DATABASE_URL) cannot be reached: connection refused.`
 *
 * @param check one round trip (`SELECT 1`, `PING`); its signal is aborted when the time is over.
 */
export async function reach(dependency: Dependency, check: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const { what, setting, url, timeoutMs = DEFAULT_TIMEOUT_MS } = dependency;
  const timeout = new AbortController();
  try {
    await within(timeoutMs, check(timeout.signal), () => {
      timeout.abort();
      throw Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
    });
  } catch (error) {
    const trouble =
      error instanceof Unusable ? `used: ${error.message}` : `reached: ${connectionTrouble(error) ?? firstLine(error)}`;
    throw new StartError(`${what} at ${placeOf(url)} (${setting}) cannot be ${trouble}.`, { cause: error });
  }
}

function placeOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'an unreadable address';
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n').find((text) => text.trim() !== '') ?? 'unknown trouble';
  return maskCredentials(line.trim()).replace(/\.$/, '');
}

import type { PlatformBudget } from '@artist-watch/catalogue/budget/platform-budget';
import { openPlatform, type PlatformSettings } from '@artist-watch/catalogue/create-platform-client';
import type { PlatformHttpOptions } from '@artist-watch/catalogue/http/platform-http';
import type { PlatformClient } from '@artist-watch/catalogue/port';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import type { Clock } from '@artist-watch/runtime/clock';

export interface PlatformAccessSettings extends PlatformSettings {
  /** The services share a request budget in Redis. If this is not set, the process has its own budget. */
  readonly REDIS_URL?: string | undefined;
  readonly REDIS_KEY_PREFIX: string;
}

const REDIS_TIMEOUT_MS = 2_000;

/** Someone is waiting for the command, so it fails if it would have to pause for longer than this. */
export const MAX_PAUSE_MS = 10_000;

/**
 * Uses the services' settings, proxy and request budget.
 * @throws StartError if Spotify's credentials are missing.
 */
export async function withPlatformClient<Result>(
  settings: PlatformAccessSettings,
  clock: Clock,
  hooks: Pick<PlatformHttpOptions, 'onResponse' | 'onRequest'>,
  work: (client: PlatformClient, budget: PlatformBudget) => Promise<Result>,
): Promise<Result> {
  const { REDIS_URL } = settings;
  const redis =
    REDIS_URL === undefined ? undefined : openCommandConnection(REDIS_URL, { commandTimeoutMs: REDIS_TIMEOUT_MS });
  try {
    // Makes a pause stored in Redis apply to the first request too.
    if (redis) await whenReady(redis, REDIS_TIMEOUT_MS).catch(() => undefined);
    const { client, budget } = openPlatform(settings, {
      ...{ ...hooks, redis, clock, maxPauseMs: MAX_PAUSE_MS },
      onFallback: () => undefined,
    });
    return await work(client, budget).finally(() => client.close());
  } finally {
    redis?.disconnect();
  }
}

import type { PlatformBudget } from '@artist-watch/catalogue/budget/platform-budget';
import { openPlatform } from '@artist-watch/catalogue/create-platform-client';
import type { PlatformHttpOptions } from '@artist-watch/catalogue/http/platform-http';
import type { PlatformSettings } from '@artist-watch/catalogue/platform-settings';
import type { PlatformClient } from '@artist-watch/catalogue/port';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import type { Clock } from '@artist-watch/runtime/clock';

export interface AskingSettings extends PlatformSettings {
  /** With it, requests are taken from the budget of the services; without, from one of this process. */
  readonly REDIS_URL?: string | undefined;
  readonly REDIS_KEY_PREFIX: string;
}

const REDIS_TIMEOUT_MS = 2_000;

/** A person waits for a command, so a longer pause of the platform is reported at once. */
export const MAX_PAUSE_MS = 10_000;

/**
 * Asks the platform as the services do: the same client, addresses, credentials, proxy and request budget.
 *
 * @throws StartError when Spotify's credentials are missing.
 */
export async function withPlatformClient<Result>(
  settings: AskingSettings,
  clock: Clock,
  hooks: Pick<PlatformHttpOptions, 'onResponse' | 'onRequest'>,
  work: (client: PlatformClient, budget: PlatformBudget) => Promise<Result>,
): Promise<Result> {
  const { REDIS_URL } = settings;
  const redis =
    REDIS_URL === undefined ? undefined : openCommandConnection(REDIS_URL, { commandTimeoutMs: REDIS_TIMEOUT_MS });
  try {
    // The budget has a pause that must be known before the first request. If Redis is away, a part of it is taken all the same.
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

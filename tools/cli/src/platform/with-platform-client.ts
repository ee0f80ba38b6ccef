import { PlatformBudget } from '@artist-watch/catalogue/budget/platform-budget';
import type { RequestBudget } from '@artist-watch/catalogue/budget/request-budget';
import { createPlatformClient, type PlatformClientOptions } from '@artist-watch/catalogue/create-platform-client';
import { budgetRules, type PlatformSettings, platformAccess } from '@artist-watch/catalogue/platform-settings';
import type { PlatformClient } from '@artist-watch/catalogue/port';
import { openCommandConnection } from '@artist-watch/delivery/queue/connection';
import type { Clock } from '@artist-watch/runtime/clock';

export interface AskingSettings extends PlatformSettings {
  /** With it, requests are taken from the budget of the services; without, from one of this process. */
  readonly REDIS_URL?: string | undefined;
  readonly REDIS_KEY_PREFIX: string;
}

const REDIS_TIMEOUT_MS = 2_000;

/**
 * Asks the platform as the services do: the same client, addresses, credentials, proxy and request budget.
 *
 * @throws StartError when Spotify's credentials are missing.
 */
export async function withPlatformClient<Result>(
  settings: AskingSettings,
  clock: Clock,
  hooks: Pick<PlatformClientOptions, 'onAnswer' | 'onRequest'>,
  work: (client: PlatformClient) => Promise<Result>,
): Promise<Result> {
  const access = platformAccess(settings);
  const { budget, close } = openBudget(settings);
  const client = createPlatformClient({ ...access, ...hooks, budget, clock });
  try {
    return await work(client);
  } finally {
    client.close();
    close();
  }
}

function openBudget(settings: AskingSettings): { readonly budget: RequestBudget; close(): void } {
  const { REDIS_URL, REDIS_KEY_PREFIX, PLATFORM } = settings;
  const rules = budgetRules(settings);
  if (REDIS_URL === undefined) return { budget: new PlatformBudget({ rules }), close: () => undefined };
  const redis = openCommandConnection(REDIS_URL, { commandTimeoutMs: REDIS_TIMEOUT_MS });
  const key = `${REDIS_KEY_PREFIX}:platform-budget:${PLATFORM}`;
  // Where Redis is away, a part of the budget is taken all the same.
  const budget = new PlatformBudget({ rules, shared: { redis, key, onFallback: () => undefined } });
  return { budget, close: () => redis.disconnect() };
}

import { SharedRequestBudget } from '@artist-watch/catalogue/budget/shared-request-budget';
import { createPlatformClient } from '@artist-watch/catalogue/create-platform-client';
import { budgetRules, platformAccess } from '@artist-watch/catalogue/platform-settings';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Redis } from 'ioredis';
import type { TrackSource } from '../application/tools/ports.js';
import type { Config } from '../config.js';
import { askedPlatform } from './asked-platform.js';

export interface OpenTrackSource extends TrackSource {
  close(): void;
}

/** A caller of a tool is asked to come back rather than kept waiting for the budget. */
const MAX_BUDGET_WAIT_MS = 3_000;

/**
 * Opens what the tools ask: the platform in use, within the request budget that the poller takes from.
 *
 * @throws StartError when Spotify's credentials are missing.
 */
export function openTrackSource(parts: {
  readonly config: Config;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}): OpenTrackSource {
  const { config, redis, clock, log, metrics } = parts;
  const requests = metrics.counter({
    name: 'api_source_requests_total',
    help: 'Requests of the tools to the platform.',
    labels: ['source', 'operation', 'outcome'],
  });
  const client = createPlatformClient({
    ...platformAccess(config),
    budget: new SharedRequestBudget({
      redis,
      key: `${config.REDIS_KEY_PREFIX}:platform-budget:${config.PLATFORM}`,
      rules: budgetRules(config),
      maxWaitMs: MAX_BUDGET_WAIT_MS,
      onFallback: (away, error) => log.warn(away ? 'platform_budget.lost' : 'platform_budget.back', { error }),
    }),
    clock,
    onRequest: ({ operation, outcome }) => requests.inc({ source: config.PLATFORM, operation, outcome }),
  });
  return { ...askedPlatform(client), close: () => client.close() };
}

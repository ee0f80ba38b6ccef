import { openPlatform } from '@artist-watch/catalogue/create-platform-client';
import type { PlatformSettings } from '@artist-watch/catalogue/platform-settings';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { searchAllowance, toolAllowance } from '@artist-watch/persistence/account/daily-allowance';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Redis } from 'ioredis';
import { countedAllowance } from './allowance.js';
import { artistSearch } from './artist/artist-search.js';
import { createShortLinks } from './input/short-links.js';
import { createTrackLookup } from './track-lookup.js';

export type OpenTrackLookup = ReturnType<typeof openTrackLookup>;

/** If waiting for the request budget would take longer than this, the client gets an error with `Retry-After`. */
const MAX_BUDGET_WAIT_MS = 3_000;

/**
 * Lookups share the poller's request budget. Each daily allowance covers lookups from all services.
 * @throws StartError if Spotify's credentials are missing
 */
export function openTrackLookup(parts: {
  readonly config: PlatformSettings & {
    readonly REDIS_KEY_PREFIX: string;
    readonly EGRESS_PROXY_URLS: readonly string[];
  };
  readonly reads: Database;
  readonly writes: Database;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}) {
  const { config, reads, writes, redis, clock, log, metrics } = parts;
  const requests = metrics.counter({
    name: 'artist_watch_lookup_requests_total',
    help: 'Requests that the lookup tools sent to the platform.',
    labels: ['source', 'operation', 'outcome'],
  });
  const { client } = openPlatform(config, {
    redis,
    clock,
    maxWaitMs: MAX_BUDGET_WAIT_MS,
    onFallback: (away, error) => log.warn(away ? 'platform_budget.lost' : 'platform_budget.back', { error }),
    onRequest: ({ operation, outcome }) => requests.inc({ source: config.PLATFORM, operation, outcome }),
  });
  const shortLinks = createShortLinks({ platform: config.PLATFORM, proxyUrls: config.EGRESS_PROXY_URLS });
  const tools = createTrackLookup({
    allowance: countedAllowance(toolAllowance(writes), metrics, log),
    usage: toolAllowance(reads),
    client,
    platform: config.PLATFORM,
    follow: shortLinks.follow,
    clock,
  });
  return {
    ...tools,
    artists: artistSearch(client, searchAllowance(writes), shortLinks.follow),
    close() {
      client.close();
      shortLinks.close();
    },
  };
}

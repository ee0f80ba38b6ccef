import { openPlatform, type PlatformSettings } from '@artist-watch/catalogue/create-platform-client';
import type { FoundArtist, PlatformClient } from '@artist-watch/catalogue/port';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { PLANS, searchesPerDay } from '@artist-watch/domain/account/plans';
import { parseArtistAddress } from '@artist-watch/domain/platform/platform-address';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { type DailyAllowance, searchAllowance, toolAllowance } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import { Gate, Gates } from '@artist-watch/runtime/gate';
import type { Redis } from 'ioredis';
import { createShortLinks, type FollowShortLink } from './input/short-links.js';
import { type Caller, callPlatform, countedAllowance, createTrackLookup, withAllowance } from './track-lookup.js';

/** Each account runs one search at a time, so that long lists do not block other accounts. */
const ACCOUNT_SEARCHES = { maxRunning: 1, maxWaiting: 8, maxWaitMs: 5_000 };
const SEARCHES = { maxRunning: 4, maxWaiting: 100, maxWaitMs: 5_000 };

/** Searches share the poller's request budget, and due polls have priority (docs/adr/0027). */
export function artistSearch(client: PlatformClient, allowance: DailyAllowance, followLink: FollowShortLink) {
  const accountGates = new Gates(ACCOUNT_SEARCHES);
  const sharedGate = new Gate(SEARCHES);
  const search = (name: string, { accountId: account }: Caller) =>
    callPlatform(client.sourceName, (signal) => client.searchArtists(name, { signal, urgency: 'close', account }));
  const counted = <Result>({ accountId, plan }: Caller, now: Date, call: () => Promise<Result>): Promise<Result> => {
    const limit = { calls: searchesPerDay(PLANS[plan]), what: 'searches' };
    return accountGates.run(accountId, () =>
      sharedGate.run(() => withAllowance(allowance, accountId, limit, now, call)),
    );
  };
  return {
    /**
     * @returns the results in the platform's order
     * @throws ApiError `daily_allowance_exceeded`, `upstream_…`, GateFull
     */
    find(name: string, caller: Caller, now: Date): Promise<readonly FoundArtist[]> {
      return counted(caller, now, () => search(name, caller));
    },

    /** Uses one search of the daily allowance. @throws ApiError `daily_allowance_exceeded`, `upstream_…`, GateFull */
    async findId(platformId: string, caller: Caller, now: Date): Promise<FoundArtist | undefined> {
      const account = caller.accountId;
      const look = (signal: AbortSignal) => client.findArtist(platformId, { signal, urgency: 'close', account });
      const found = await counted(caller, now, () => callPlatform(client.sourceName, look));
      return found.kind === 'found' ? found.artist : undefined;
    },

    /**
     * Uses one search from the daily allowance.
     * @returns the artist's platform id
     * @throws ApiError `unsupported_url`, `daily_allowance_exceeded`, `upstream_…`, GateFull
     */
    async artistAt(link: URL, caller: Caller, now: Date): Promise<string> {
      const target = await counted(caller, now, () => followLink(link));
      const address = target === undefined ? undefined : parseArtistAddress(target, client.platform);
      if (address?.kind === 'artist') return address.artistId;
      throw new ApiError('unsupported_url', 'This short link does not point to an artist.');
    },
  };
}

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

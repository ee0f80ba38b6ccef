import { openPlatform, type PlatformSettings } from '@artist-watch/catalogue/create-platform-client';
import { type FoundArtist, type PlatformClient, PlatformError } from '@artist-watch/catalogue/port';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { type Lookup, presentTrack, type Reverse, type Tools } from '@artist-watch/contracts/api/tools';
import { PLANS, type PlanName, searchesPerDay } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId } from '@artist-watch/domain/ids';
import {
  parseArtistAddress,
  parseTrackAddress,
  type TrackAddress,
} from '@artist-watch/domain/platform/platform-address';
import { normaliseIsrc } from '@artist-watch/domain/platform/platform-id';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { type DailyAllowance, searchAllowance, toolAllowance } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import { Gate, Gates } from '@artist-watch/runtime/gate';
import type { Redis } from 'ioredis';
import { createShortLinks, type FollowShortLink, parseShortLink } from './short-links.js';

const DAY_MS = 86_400_000;

interface Caller {
  readonly accountId: AccountId;
  readonly plan: PlanName;
}

function allowanceResetsAt(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);
}

/**
 * Reserves one unit of a daily allowance (docs/api/requests.md). Refunds it if the call fails, unless the call failed
 * because the track does not exist.
 * @param limit.what plural name for the units, such as `tool calls`
 * @throws ApiError `daily_allowance_exceeded`; any error from `call`
 */
async function withAllowance<Result>(
  allowance: DailyAllowance,
  accountId: AccountId,
  limit: { readonly calls: number; readonly what: string },
  now: Date,
  call: () => Promise<Result>,
): Promise<Result> {
  const { kind, day } = await allowance.reserve({ accountId, limit: limit.calls, now });
  if (kind === 'spent') {
    throw new ApiError(
      'daily_allowance_exceeded',
      `You have used all ${limit.calls} ${limit.what} for today (UTC). The limit resets at 00:00 UTC.`,
      {
        headers: { 'Retry-After': String(Math.ceil((allowanceResetsAt(now).getTime() - now.getTime()) / 1000)) },
      },
    );
  }
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'track_not_found')) {
      // If the refund fails too, the call's error must still be the one reported.
      await allowance.refund(accountId, day).catch(() => undefined);
    }
    throw error;
  }
}

/** Counts every call in a metric, and logs failed refunds. */
export function countedAllowance(inner: DailyAllowance, metrics: Metrics, log: Logger): DailyAllowance {
  const calls = metrics.counter({
    name: 'artist_watch_lookup_allowance_total',
    help:
      'Effects of tool calls on the daily allowance, by result: `taken`, `given_back` (refunded, because the call failed), ' +
      '`not_given_back` (the refund failed too, so the call still counts), or `refused` (the allowance was used up).',
    labels: ['result'],
  });
  return {
    ...inner,
    async reserve(request) {
      const reservation = await inner.reserve(request);
      calls.inc({ result: reservation.kind === 'reserved' ? 'taken' : 'refused' });
      return reservation;
    },
    async refund(accountId, day) {
      try {
        await inner.refund(accountId, day);
      } catch (error) {
        calls.inc({ result: 'not_given_back' });
        log.warn('allowance.not_given_back', { accountId, day, error });
        throw error;
      }
      calls.inc({ result: 'given_back' });
    },
  };
}

/** Includes retries. */
const DEADLINE_MS = 15_000;

const DEFAULT_RETRY_AFTER_MS = 5_000;

/**
 * Runs a platform call for which a client is waiting.
 * @param name the platform's name, for error messages
 * @throws ApiError `upstream_…` if the platform returns no usable response in time
 */
async function callPlatform<Result>(name: string, call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await call(signal);
  } catch (error) {
    if (error instanceof PlatformError) throw toApiError(name, error);
    if (signal.aborted) throw timedOut(name, error);
    throw error;
  }
}

/** The error codes are documented in docs/api/requests.md. */
function toApiError(name: string, error: PlatformError): ApiError {
  const { failure } = error;
  switch (failure.kind) {
    case 'timeout':
      return timedOut(name, error);
    case 'quota':
    case 'unavailable': {
      const retryAfterSeconds = Math.ceil((failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS) / 1000);
      return new ApiError('upstream_unavailable', `${name} is not available at the moment. Try again later.`, {
        headers: { 'Retry-After': String(Math.max(1, retryAfterSeconds)) },
        operatorText: error.message,
      });
    }
    case 'not_found':
    case 'bad_answer':
      return new ApiError('upstream_error', `${name} returned an unusable response. Try again later.`, {
        operatorText: error.message,
      });
  }
}

function timedOut(name: string, cause: unknown): ApiError {
  return new ApiError('upstream_timeout', `${name} did not respond in time. Try again later.`, {
    operatorText: String(cause),
  });
}

const MESSAGES = {
  not_an_address: 'This is not a valid track URL.',
  other_platform: 'This URL belongs to another streaming platform.',
  other_kind: 'This URL does not belong to a track.',
} as const;

type TrackInput =
  | { readonly kind: 'track'; readonly trackId: string }
  | { readonly kind: 'short_link'; readonly link: URL };

/**
 * Doesn't send any requests.
 * @throws ApiError `unsupported_url` if the input is neither a track URL nor a short link
 */
export function parseTrackInput(input: string, platform: Platform): TrackInput {
  const address = parseTrackAddress(input, platform);
  if (address.kind === 'track') return address;
  const link = parseShortLink(input, platform);
  if (link) return { kind: 'short_link', link };
  throw unsupportedUrl(address);
}

/**
 * Only sends requests if the input is a short link.
 * @throws ApiError `unsupported_url`; any error from `follow`
 */
async function resolveTrackId(input: TrackInput, platform: Platform, follow: FollowShortLink): Promise<string> {
  if (input.kind === 'track') return input.trackId;
  const target = await follow(input.link);
  if (target === undefined) throw new ApiError('unsupported_url', 'This short link does not point to a track.');
  const followed = parseTrackAddress(target, platform);
  if (followed.kind === 'track') return followed.trackId;
  throw unsupportedUrl(followed);
}

function unsupportedUrl({ reason }: Exclude<TrackAddress, { kind: 'track' }>): ApiError {
  return new ApiError('unsupported_url', MESSAGES[reason]);
}

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
 * Lookups share the poller's request budget. Each daily allowance covers lookups from all services. Calls with invalid
 * input don't use up the allowance, nor do calls that fail on the platform's side.
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
  const { PLATFORM: platform } = config;
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
    onRequest: ({ operation, outcome }) => requests.inc({ source: platform, operation, outcome }),
  });
  const shortLinks = createShortLinks({ platform, proxyUrls: config.EGRESS_PROXY_URLS });
  const allowance = countedAllowance(toolAllowance(writes), metrics, log);
  // Uses the read pool, so that it doesn't have to wait for writes.
  const usage = toolAllowance(reads);
  const { sourceName } = client;
  const planLimit = ({ plan }: Caller) => ({ calls: PLANS[plan].toolCallsPerDay, what: 'tool calls' });
  const sourceNow = () => ({ name: sourceName, retrieved_at: clock.now().toISOString() });
  return {
    /** @throws ApiError */
    async lookup(text: string, caller: Caller, now: Date): Promise<Lookup> {
      const input = parseTrackInput(text, platform);
      const track = await withAllowance(allowance, caller.accountId, planLimit(caller), now, async () => {
        const trackId = await resolveTrackId(input, platform, shortLinks.follow);
        const found = await callPlatform(sourceName, (signal) =>
          client.lookupTrack(trackId, { signal, account: caller.accountId }),
        );
        if (found.kind === 'found') return found.track;
        throw new ApiError('track_not_found', `This track does not exist on ${sourceName}.`);
      });
      return { isrc: track.isrc ?? null, track: presentTrack(track), source: sourceNow() };
    },

    /** @throws ApiError */
    async reverse(text: string, caller: Caller, now: Date): Promise<Reverse> {
      const isrc = normaliseIsrc(text);
      if (isrc === null) throw new ApiError('invalid_isrc', '"isrc" must be an ISRC such as USRC17607839.');
      const [first, ...more] = await withAllowance(allowance, caller.accountId, planLimit(caller), now, async () => {
        const found = await callPlatform(sourceName, (signal) =>
          client.findTracksByIsrc(isrc, { signal, account: caller.accountId }),
        );
        if (found.kind === 'found') return found.tracks;
        throw new ApiError('track_not_found', `No track on ${sourceName} has this ISRC.`);
      });
      return { isrc, track: presentTrack(first), matches: [first, ...more].map(presentTrack), source: sourceNow() };
    },

    /** Counts the calls made on the UTC day of `now`. */
    async allowance({ accountId, plan }: Caller, now: Date): Promise<Tools['allowance']> {
      const limit = PLANS[plan].toolCallsPerDay;
      const used = await usage.used(accountId, now);
      return { limit, used, remaining: Math.max(0, limit - used), resets_at: allowanceResetsAt(now).toISOString() };
    },

    artists: artistSearch(client, searchAllowance(writes), shortLinks.follow),
    close() {
      client.close();
      shortLinks.close();
    },
  };
}

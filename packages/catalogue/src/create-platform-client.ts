import { StartError } from '@artist-watch/runtime/settings/start-failure';
import type { Redis } from 'ioredis';
import { PlatformBudget } from './budget/platform-budget.js';
import { DeezerClient } from './deezer/deezer-client.js';
import type { PlatformHttpOptions } from './http/platform-http.js';
import { budgetRules, type PlatformSettings } from './platform-settings.js';
import type { PlatformClient } from './port.js';
import type { SpotifyCredentials } from './spotify/access-token.js';
import { SpotifyClient } from './spotify/spotify-client.js';

type Access = Pick<PlatformSettings, 'PLATFORM'> & Partial<PlatformSettings>;
type ClientOptions = Omit<PlatformHttpOptions, 'baseUrl' | 'proxyUrl'>;

export interface OpenPlatformOptions extends Omit<ClientOptions, 'budget'> {
  /** Shares the request budget between replicas. Undefined: the budget is for this process alone. */
  readonly redis: Redis | undefined;
  /** Longest wait for the budget. Callers that would wait longer are rejected. Default: no limit. */
  readonly maxWaitMs?: number;
  /** Longest pause. Callers are rejected while the platform requests a longer one. Default: no limit. */
  readonly maxPauseMs?: number;
  /** Called when Redis fails, and when it responds again. */
  onFallback(away: boolean, error?: unknown): void;
}

/**
 * Creates the client of the installation's platform and its request budget.
 *
 * @throws StartError if Spotify's credentials are missing.
 */
export function openPlatform(
  settings: PlatformSettings & { readonly REDIS_KEY_PREFIX: string },
  options: OpenPlatformOptions,
): { readonly client: PlatformClient; readonly budget: PlatformBudget } {
  const { redis, onFallback, maxWaitMs, maxPauseMs, ...clientOptions } = options;
  const key = budgetKey(settings);
  const budget = new PlatformBudget({
    rules: budgetRules(settings),
    ...{ maxWaitMs, maxPauseMs },
    shared: redis && { redis, key, onFallback },
  });
  return { client: createPlatformClient(settings, { ...clientOptions, budget }), budget };
}

/**
 * Returns the Redis key of the budget and its pause. Spotify counts requests per app and Deezer per IP address, so the
 * key includes the client id or the proxy: https://developer.spotify.com/documentation/web-api/concepts/rate-limits,
 * https://developers.deezer.com/termsofuse (50 requests in 5 s).
 */
export function budgetKey(settings: PlatformSettings & { readonly REDIS_KEY_PREFIX: string }): string {
  const { REDIS_KEY_PREFIX, PLATFORM, PLATFORM_PROXY_URL, SPOTIFY_CLIENT_ID } = settings;
  const proxy = PLATFORM_PROXY_URL && new URL(PLATFORM_PROXY_URL).host;
  const source = PLATFORM === 'spotify' ? SPOTIFY_CLIENT_ID : proxy;
  return [REDIS_KEY_PREFIX, 'platform-budget', PLATFORM, ...(source ? [source] : [])].join(':');
}

/** @throws StartError if Spotify's credentials are missing. */
export function createPlatformClient(settings: Access, options: ClientOptions): PlatformClient {
  const http = { ...options, baseUrl: settings.PLATFORM_URL, proxyUrl: settings.PLATFORM_PROXY_URL };
  switch (settings.PLATFORM) {
    case 'deezer':
      return new DeezerClient({ ...http, expectedCountry: settings.PLATFORM_COUNTRY });
    case 'spotify':
      return new SpotifyClient({
        ...http,
        accountsUrl: settings.SPOTIFY_ACCOUNTS_URL,
        credentials: spotifyCredentials(settings),
        markets: settings.SPOTIFY_MARKETS,
      });
  }
}

function spotifyCredentials({ SPOTIFY_CLIENT_ID, SPOTIFY_CLIENT_SECRET }: Access): SpotifyCredentials {
  if (SPOTIFY_CLIENT_ID === undefined || SPOTIFY_CLIENT_SECRET === undefined) {
    throw new StartError('With PLATFORM=spotify, SPOTIFY_CLIENT_ID and SPOTIFY_CLIENT_SECRET are needed.');
  }
  return { clientId: SPOTIFY_CLIENT_ID, clientSecret: SPOTIFY_CLIENT_SECRET };
}

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
  /** Where replicas share the request budget; where it is undefined, the budget is one of this process. */
  readonly redis: Redis | undefined;
  /** A caller that would have to wait longer for the budget is refused; without it, it waits. */
  readonly maxWaitMs?: number;
  /** Redis failed, or answers again. */
  onFallback(away: boolean, error?: unknown): void;
}

/**
 * The client of the platform that this installation watches, and the request budget that it takes from.
 *
 * @throws StartError when Spotify's credentials are missing.
 */
export function openPlatform(
  settings: PlatformSettings & { readonly REDIS_KEY_PREFIX: string },
  options: OpenPlatformOptions,
): { readonly client: PlatformClient; readonly budget: PlatformBudget } {
  const { redis, onFallback, maxWaitMs, ...clientOptions } = options;
  const key = `${settings.REDIS_KEY_PREFIX}:platform-budget:${settings.PLATFORM}`;
  const budget = new PlatformBudget({
    rules: budgetRules(settings),
    maxWaitMs,
    shared: redis && { redis, key, onFallback },
  });
  return { client: createPlatformClient(settings, { ...clientOptions, budget }), budget };
}

/** @throws StartError when Spotify's credentials are missing. */
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

import { durationMs, httpUrl, integer, listOf, type Settings } from '@artist-watch/runtime/settings/settings';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PlatformBudget } from './budget/platform-budget.js';
import { type BudgetRules, DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { DeezerClient } from './deezer/deezer-client.js';
import type { PlatformHttpOptions } from './http/platform-http.js';
import type { PlatformClient } from './port.js';
import type { SpotifyCredentials } from './spotify/access-token.js';
import { SPOTIFY_MARKETS, SpotifyClient } from './spotify/spotify-client.js';

const COUNTRY = /^[A-Z]{2}$/;
const NO_COUNTRY = 'must be two capital letters';

export const platformSettings = {
  PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer'),
  PLATFORM_URL: httpUrl().optional(),
  PLATFORM_PROXY_URL: httpUrl().optional(),
  /** ISO 3166-1 code for the country of our IP address. Reads from other countries are discarded. */
  PLATFORM_COUNTRY: z.string().regex(COUNTRY, NO_COUNTRY).optional(),
  /** Requests per `PLATFORM_BUDGET_WINDOW`, across all replicas of all services. */
  PLATFORM_BUDGET: integer({ min: 2, max: 10_000_000 }).optional(),
  PLATFORM_BUDGET_WINDOW: durationMs().prefault('5s'),
  SPOTIFY_ACCOUNTS_URL: httpUrl().optional(),
  /** If a response lists no markets, the entity counts as gone unless it is playable in one of these markets. */
  SPOTIFY_MARKETS: listOf((part) => (COUNTRY.test(part) ? part : undefined), NO_COUNTRY).prefault(
    SPOTIFY_MARKETS.join(','),
  ),
  SPOTIFY_CLIENT_ID: z.string().optional(),
  SPOTIFY_CLIENT_SECRET: z.string().optional(),
} as const;

export type PlatformSettings = Settings<typeof platformSettings>;

/** A sixth of a configured budget may be sent in one burst. */
export function budgetRules(
  settings: Pick<PlatformSettings, 'PLATFORM' | 'PLATFORM_BUDGET' | 'PLATFORM_BUDGET_WINDOW'>,
): BudgetRules {
  const { PLATFORM, PLATFORM_BUDGET, PLATFORM_BUDGET_WINDOW } = settings;
  if (PLATFORM_BUDGET === undefined) return PLATFORM === 'deezer' ? DEEZER_BUDGET : SPOTIFY_BUDGET;
  return {
    limit: PLATFORM_BUDGET,
    windowMs: PLATFORM_BUDGET_WINDOW,
    burst: Math.max(1, Math.floor(PLATFORM_BUDGET / 6)),
  };
}

type Access = Pick<PlatformSettings, 'PLATFORM'> & Partial<PlatformSettings>;
type ClientOptions = Omit<PlatformHttpOptions, 'baseUrl' | 'proxyUrl'>;

export interface OpenPlatformOptions extends Omit<ClientOptions, 'budget'> {
  /** If undefined, the request budget applies to this process only. */
  readonly redis: Redis | undefined;
  readonly maxWaitMs?: number;
  readonly maxPauseMs?: number;
  onFallback(away: boolean, error?: unknown): void;
}

/** @throws StartError if Spotify's credentials are missing */
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
 * Spotify counts requests per app (https://developer.spotify.com/documentation/web-api/concepts/rate-limits). Deezer
 * counts them per IP address (https://developers.deezer.com/termsofuse).
 */
export function budgetKey(settings: PlatformSettings & { readonly REDIS_KEY_PREFIX: string }): string {
  const { REDIS_KEY_PREFIX, PLATFORM, PLATFORM_PROXY_URL, SPOTIFY_CLIENT_ID } = settings;
  const proxy = PLATFORM_PROXY_URL && new URL(PLATFORM_PROXY_URL).host;
  const source = PLATFORM === 'spotify' ? SPOTIFY_CLIENT_ID : proxy;
  return [REDIS_KEY_PREFIX, 'platform-budget', PLATFORM, ...(source ? [source] : [])].join(':');
}

/** @throws StartError if Spotify's credentials are missing */
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
    throw new StartError('PLATFORM=spotify requires SPOTIFY_CLIENT_ID and SPOTIFY_CLIENT_SECRET.');
  }
  return { clientId: SPOTIFY_CLIENT_ID, clientSecret: SPOTIFY_CLIENT_SECRET };
}

import { durationMs, httpUrl, integer, listOf, type Settings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { type BudgetRules, DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { SPOTIFY_MARKETS } from './spotify/spotify-client.js';

const COUNTRY = /^[A-Z]{2}$/;
const NO_COUNTRY = 'must be two capital letters';

/** The settings of every program that sends requests to the platform. */
export const platformSettings = {
  /** The platform to watch. Each installation watches only one. */
  PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer'),
  /** URL of the platform's API. Default: its public URL. */
  PLATFORM_URL: httpUrl().optional(),
  /** URL of an HTTP or HTTPS forward proxy for requests to the platform. Default: none. */
  PLATFORM_PROXY_URL: httpUrl().optional(),
  /**
   * ISO 3166-1 code of the country that our IP address must be in. Reads from another country do not count. Default:
   * not checked.
   */
  PLATFORM_COUNTRY: z.string().regex(COUNTRY, NO_COUNTRY).optional(),
  /**
   * The number of requests that all replicas of all services may send per `PLATFORM_BUDGET_WINDOW`. Default: the
   * platform's limit.
   */
  PLATFORM_BUDGET: integer({ min: 2, max: 10_000_000 }).optional(),
  /** The length of the window for `PLATFORM_BUDGET`. */
  PLATFORM_BUDGET_WINDOW: durationMs().prefault('5s'),
  /** URL that issues Spotify's access tokens. Default: its public URL. */
  SPOTIFY_ACCOUNTS_URL: httpUrl().optional(),
  /**
   * Spotify markets to check one after the other. An entity without markets counts as gone only if it is playable in
   * none of them.
   */
  SPOTIFY_MARKETS: listOf((part) => (COUNTRY.test(part) ? part : undefined), NO_COUNTRY).prefault(
    SPOTIFY_MARKETS.join(','),
  ),
  /** The credentials of the Spotify app. */
  SPOTIFY_CLIENT_ID: z.string().optional(),
  SPOTIFY_CLIENT_SECRET: z.string().optional(),
} as const;

export type PlatformSettings = Settings<typeof platformSettings>;

/**
 * Returns the request budget of the platform. With a configured budget, a sixth of it may be sent at once, and the rest
 * follows at an even rate.
 */
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

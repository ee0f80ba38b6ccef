import { durationMs, httpUrl, integer, listOf, type Settings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { type BudgetRules, DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { SPOTIFY_MARKETS } from './spotify/spotify-client.js';

const COUNTRY = /^[A-Z]{2}$/;
const NO_COUNTRY = 'is not two capital letters';

/** The settings of every program that sends requests to the platform. */
export const platformSettings = {
  /** One installation watches one platform. */
  PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer'),
  /** URL of the platform's API. Default: its public URL. */
  PLATFORM_URL: httpUrl().optional(),
  /** An http(s) forward proxy to the platform. Default: none. */
  PLATFORM_PROXY_URL: httpUrl().optional(),
  /**
   * ISO 3166-1 code of the country of our IP address. Reads from other countries do not count. Default: not checked.
   */
  PLATFORM_COUNTRY: z.string().regex(COUNTRY, NO_COUNTRY).optional(),
  /** Requests that all replicas of all services together may send. Default: the platform's limit … */
  PLATFORM_BUDGET: integer({ min: 2, max: 10_000_000 }).optional(),
  /** … in any period of this length. */
  PLATFORM_BUDGET_WINDOW: durationMs().prefault('5s'),
  /** URL that issues Spotify's access tokens. Default: its public URL. */
  SPOTIFY_ACCOUNTS_URL: httpUrl().optional(),
  /** Markets to check in Spotify, one after the other, before an entity without markets counts as gone. */
  SPOTIFY_MARKETS: listOf((part) => (COUNTRY.test(part) ? part : undefined), NO_COUNTRY).prefault(
    SPOTIFY_MARKETS.join(','),
  ),
  /** The credentials of the Spotify app. */
  SPOTIFY_CLIENT_ID: z.string().optional(),
  SPOTIFY_CLIENT_SECRET: z.string().optional(),
} as const;

export type PlatformSettings = Settings<typeof platformSettings>;

/**
 * The request budget of the platform in use. A sixth of a configured budget may be sent at once, and the rest follows
 * at an even rate.
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

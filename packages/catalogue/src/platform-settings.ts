import { durationMs, httpUrl, integer, listOf, type Settings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { type BudgetRules, DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { SPOTIFY_MARKETS } from './spotify/spotify-client.js';

const COUNTRY = /^[A-Z]{2}$/;
const NO_COUNTRY = 'is not two capital letters';

/** The settings of every program that asks the platform. */
export const platformSettings = {
  /** One installation watches one platform. */
  PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer'),
  /** Where the platform's API is asked; its own public address unless given. */
  PLATFORM_URL: httpUrl().optional(),
  /** An http(s) forward proxy to the platform; direct without it. */
  PLATFORM_PROXY_URL: httpUrl().optional(),
  /** ISO 3166-1 code of where our address is: readings from elsewhere do not count. Not checked unless given. */
  PLATFORM_COUNTRY: z.string().regex(COUNTRY, NO_COUNTRY).optional(),
  /** Requests that all replicas of all services together may send to the platform; what it allows unless given … */
  PLATFORM_BUDGET: integer({ min: 2, max: 10_000_000 }).optional(),
  /** … in any span of this length. */
  PLATFORM_BUDGET_WINDOW: durationMs().prefault('5s'),
  /** Where Spotify issues access tokens; its own public address unless given. */
  SPOTIFY_ACCOUNTS_URL: httpUrl().optional(),
  /** Markets that Spotify is asked for, one after the other, before what it names no market of counts as gone. */
  SPOTIFY_MARKETS: listOf((part) => (COUNTRY.test(part) ? part : undefined), NO_COUNTRY).prefault(
    SPOTIFY_MARKETS.join(','),
  ),
  /** The credentials of the Spotify app. */
  SPOTIFY_CLIENT_ID: z.string().optional(),
  SPOTIFY_CLIENT_SECRET: z.string().optional(),
} as const;

export type PlatformSettings = Settings<typeof platformSettings>;

/** What may be asked of the platform in use. A sixth of a given budget may leave at once; the rest follows evenly. */
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

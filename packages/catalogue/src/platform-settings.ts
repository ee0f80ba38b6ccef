import { durationMs, httpUrl, integer, listOf, type Settings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { type BudgetRules, DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { SPOTIFY_MARKETS } from './spotify/spotify-client.js';

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

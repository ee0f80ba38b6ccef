import { durationMs, httpUrl, integer, listOf, type Settings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { type BudgetRules, DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { SPOTIFY_MARKETS } from './spotify/spotify-client.js';

const COUNTRY = /^[A-Z]{2}$/;
const NO_COUNTRY = 'must be two capital letters';

export const platformSettings = {
  /** Each installation watches only one platform. */
  PLATFORM: z.enum(['deezer', 'spotify']).prefault('deezer'),
  /** Default: the platform's public URL. */
  PLATFORM_URL: httpUrl().optional(),
  /** HTTP or HTTPS forward proxy. Default: none. */
  PLATFORM_PROXY_URL: httpUrl().optional(),
  /** ISO 3166-1 code. Reads from another country do not count. Default: not checked. */
  PLATFORM_COUNTRY: z.string().regex(COUNTRY, NO_COUNTRY).optional(),
  /** Requests of all replicas and services per `PLATFORM_BUDGET_WINDOW`. Default: the platform's limit. */
  PLATFORM_BUDGET: integer({ min: 2, max: 10_000_000 }).optional(),
  PLATFORM_BUDGET_WINDOW: durationMs().prefault('5s'),
  /** Default: Spotify's public URL. */
  SPOTIFY_ACCOUNTS_URL: httpUrl().optional(),
  /** Markets to check in order. An entity without markets is gone only if it is playable in none of them. */
  SPOTIFY_MARKETS: listOf((part) => (COUNTRY.test(part) ? part : undefined), NO_COUNTRY).prefault(
    SPOTIFY_MARKETS.join(','),
  ),
  SPOTIFY_CLIENT_ID: z.string().optional(),
  SPOTIFY_CLIENT_SECRET: z.string().optional(),
} as const;

export type PlatformSettings = Settings<typeof platformSettings>;

/** A sixth of a configured budget may be sent at once. The rest follows at an even rate. */
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

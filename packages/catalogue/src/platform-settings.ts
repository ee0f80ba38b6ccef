import type { Platform } from '@artist-watch/domain/catalogue';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import type { BudgetRules } from './budget/request-budget.js';
import { PLATFORM_BUDGETS } from './create-platform-client.js';
import type { SpotifyCredentials } from './spotify/access-token.js';

/** The settings that every service which asks the platform has. */
export interface PlatformSettings {
  readonly PLATFORM: Platform;
  readonly PLATFORM_BUDGET?: number | undefined;
  /** Milliseconds. */
  readonly PLATFORM_BUDGET_WINDOW: number;
  readonly SPOTIFY_CLIENT_ID?: string | undefined;
  readonly SPOTIFY_CLIENT_SECRET?: string | undefined;
}

/** What may be asked of the platform in use. A sixth of a given budget may leave at once; the rest follows evenly. */
export function budgetRules({ PLATFORM, PLATFORM_BUDGET, PLATFORM_BUDGET_WINDOW }: PlatformSettings): BudgetRules {
  if (PLATFORM_BUDGET === undefined) return PLATFORM_BUDGETS[PLATFORM];
  return {
    limit: PLATFORM_BUDGET,
    windowMs: PLATFORM_BUDGET_WINDOW,
    burst: Math.max(1, Math.floor(PLATFORM_BUDGET / 6)),
  };
}

/**
 * With what Spotify is asked; undefined for another platform.
 *
 * @throws StartError when they are missing.
 */
export function spotifyCredentials(settings: PlatformSettings): SpotifyCredentials | undefined {
  const { PLATFORM, SPOTIFY_CLIENT_ID, SPOTIFY_CLIENT_SECRET } = settings;
  if (PLATFORM !== 'spotify') return undefined;
  if (SPOTIFY_CLIENT_ID === undefined || SPOTIFY_CLIENT_SECRET === undefined) {
    throw new StartError('With PLATFORM=spotify, SPOTIFY_CLIENT_ID and SPOTIFY_CLIENT_SECRET are needed.');
  }
  return { clientId: SPOTIFY_CLIENT_ID, clientSecret: SPOTIFY_CLIENT_SECRET };
}

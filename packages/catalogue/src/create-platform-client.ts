import type { Platform } from '@artist-watch/domain/catalogue';
import { type BudgetRules, DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { DeezerClient } from './deezer/deezer-client.js';
import type { PlatformHttpOptions } from './http/platform-http.js';
import type { PlatformClient } from './port.js';
import type { SpotifyCredentials } from './spotify/access-token.js';
import { SpotifyClient } from './spotify/spotify-client.js';

export interface PlatformClientOptions extends Omit<PlatformHttpOptions, 'baseUrl'> {
  readonly platform: Platform;
  /** `PLATFORM_URL`: another origin than the platform's own, such as the simulator's. */
  readonly platformUrl?: string | undefined;
  /** `SPOTIFY_ACCOUNTS_URL`: another origin than Spotify's own that issues the tokens. */
  readonly spotifyAccountsUrl?: string | undefined;
  /** Needed for Spotify. */
  readonly spotifyCredentials?: SpotifyCredentials | undefined;
  /** `SPOTIFY_MARKETS`: see SpotifyClientOptions. */
  readonly spotifyMarkets?: readonly string[] | undefined;
  /** Deezer: see DeezerClientOptions. */
  readonly expectedCountry?: string | undefined;
}

/** What each platform allows, for whatever keeps the budget. */
export const PLATFORM_BUDGETS: Readonly<Record<Platform, BudgetRules>> = {
  deezer: DEEZER_BUDGET,
  spotify: SPOTIFY_BUDGET,
};

/** The client of the platform that this installation watches. Throws when Spotify's credentials are missing. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { platform, platformUrl, spotifyAccountsUrl, spotifyCredentials, spotifyMarkets, expectedCountry, ...http } =
    options;
  switch (platform) {
    case 'deezer':
      return new DeezerClient({ ...http, baseUrl: platformUrl, expectedCountry });
    case 'spotify':
      if (!spotifyCredentials) throw new Error('Spotify is asked with a client id and a client secret; none are set.');
      return new SpotifyClient({
        ...http,
        baseUrl: platformUrl,
        accountsUrl: spotifyAccountsUrl,
        credentials: spotifyCredentials,
        markets: spotifyMarkets,
      });
  }
}

import { readSettings } from '@artist-watch/runtime/settings/settings';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { expect, test } from '@jest/globals';
import { DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { budgetRules, platformAccess, platformSettings } from './platform-settings.js';

const settings = (env: Readonly<Record<string, string>>) => readSettings(platformSettings, env);

test('the budget is what the platform allows unless another is given', () => {
  expect(budgetRules(settings({ PLATFORM: 'deezer' }))).toEqual(DEEZER_BUDGET);
  expect(budgetRules(settings({ PLATFORM: 'spotify' }))).toEqual(SPOTIFY_BUDGET);
});

test.each([
  [2, 1],
  [30, 5],
])('of a given budget of %i a sixth, %i, may leave at once', (limit, burst) => {
  expect(budgetRules(settings({ PLATFORM_BUDGET: String(limit) }))).toEqual({ limit, windowMs: 5_000, burst });
});

test('Spotify needs both of its credentials, and nobody else is given any', () => {
  const id = { SPOTIFY_CLIENT_ID: 'id' };
  const both = { ...id, SPOTIFY_CLIENT_SECRET: 'secret' };
  expect(platformAccess(settings({ PLATFORM: 'spotify', ...both }))).toMatchObject({
    spotifyCredentials: { clientId: 'id', clientSecret: 'secret' },
  });
  expect(platformAccess(settings({ PLATFORM: 'deezer', ...both })).spotifyCredentials).toBeUndefined();
  expect(() => platformAccess(settings({ PLATFORM: 'spotify', ...id }))).toThrow(StartError);
});

test('markets that Spotify is asked for are a list of countries', () => {
  expect(platformAccess(settings({ SPOTIFY_MARKETS: 'SE, NO' })).spotifyMarkets).toEqual(['SE', 'NO']);
  expect(() => settings({ SPOTIFY_MARKETS: 'SE,Norway' })).toThrow(
    'SPOTIFY_MARKETS "Norway" is not two capital letters',
  );
});

test('an address of the platform leaves that of the tokens as it is', () => {
  const elsewhere = platformAccess(settings({ PLATFORM_URL: 'http://platform.test' }));
  expect([elsewhere.platformUrl, elsewhere.spotifyAccountsUrl]).toEqual(['http://platform.test', undefined]);
});

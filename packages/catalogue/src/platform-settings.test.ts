import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { expect, test } from '@jest/globals';
import { DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { budgetRules, spotifyCredentials } from './platform-settings.js';

const windowMs = 5_000;

test('the budget is what the platform allows unless another is given', () => {
  expect(budgetRules({ PLATFORM: 'deezer', PLATFORM_BUDGET_WINDOW: windowMs })).toEqual(DEEZER_BUDGET);
  expect(budgetRules({ PLATFORM: 'spotify', PLATFORM_BUDGET_WINDOW: windowMs })).toEqual(SPOTIFY_BUDGET);
});

test.each([
  [2, 1],
  [30, 5],
])('of a given budget of %i a sixth, %i, may leave at once', (limit, burst) => {
  const rules = budgetRules({ PLATFORM: 'deezer', PLATFORM_BUDGET: limit, PLATFORM_BUDGET_WINDOW: windowMs });
  expect(rules).toEqual({ limit, windowMs, burst });
});

test('Spotify needs both of its credentials, and nobody else is given any', () => {
  const both = { PLATFORM_BUDGET_WINDOW: windowMs, SPOTIFY_CLIENT_ID: 'id', SPOTIFY_CLIENT_SECRET: 'secret' };
  expect(spotifyCredentials({ PLATFORM: 'spotify', ...both })).toEqual({ clientId: 'id', clientSecret: 'secret' });
  expect(spotifyCredentials({ PLATFORM: 'deezer', ...both })).toBeUndefined();
  expect(() => spotifyCredentials({ PLATFORM: 'spotify', ...both, SPOTIFY_CLIENT_SECRET: undefined })).toThrow(
    StartError,
  );
});

import { systemClock } from '@artist-watch/runtime/clock';
import { readSettings } from '@artist-watch/runtime/settings/settings';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { expect, test } from '@jest/globals';
import { PlatformBudget } from './budget/platform-budget.js';
import { DEEZER_BUDGET, SPOTIFY_BUDGET } from './budget/request-budget.js';
import { budgetRules, createPlatformClient, platformSettings } from './create-platform-client.js';

const settings = (env: Readonly<Record<string, string>>) => readSettings(platformSettings, env);

test('the default budget depends on the platform', () => {
  expect(budgetRules(settings({ PLATFORM: 'deezer' }))).toEqual(DEEZER_BUDGET);
  expect(budgetRules(settings({ PLATFORM: 'spotify' }))).toEqual(SPOTIFY_BUDGET);
});

test.each([
  [2, 1],
  [30, 5],
])('a budget of %i requests allows a burst of %i requests', (limit, burst) => {
  expect(budgetRules(settings({ PLATFORM_BUDGET: String(limit) }))).toEqual({ limit, windowMs: 5_000, burst });
});

test('Spotify requires both credentials, and Deezer requires none', () => {
  const open = (env: Readonly<Record<string, string>>) =>
    createPlatformClient(settings(env), { budget: new PlatformBudget({ rules: SPOTIFY_BUDGET }), clock: systemClock });
  const id = { SPOTIFY_CLIENT_ID: 'id' };
  expect(open({ PLATFORM: 'spotify', ...id, SPOTIFY_CLIENT_SECRET: 'secret' }).platform).toBe('spotify');
  expect(open({ PLATFORM: 'deezer' }).platform).toBe('deezer');
  expect(() => open({ PLATFORM: 'spotify', ...id })).toThrow(StartError);
});

test('SPOTIFY_MARKETS accepts only a list of country codes', () => {
  expect(settings({ SPOTIFY_MARKETS: 'SE, NO' }).SPOTIFY_MARKETS).toEqual(['SE', 'NO']);
  expect(() => settings({ SPOTIFY_MARKETS: 'SE,Norway' })).toThrow(
    'SPOTIFY_MARKETS "Norway" must be two capital letters',
  );
});

test('setting the platform URL does not change the token URL', () => {
  const { PLATFORM_URL, SPOTIFY_ACCOUNTS_URL } = settings({ PLATFORM_URL: 'http://platform.test' });
  expect([PLATFORM_URL, SPOTIFY_ACCOUNTS_URL]).toEqual(['http://platform.test', undefined]);
});

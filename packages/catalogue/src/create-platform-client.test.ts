import { expect, test } from '@jest/globals';
import { budgetKey } from './create-platform-client.js';

const key = (settings: Partial<Parameters<typeof budgetKey>[0]>) =>
  budgetKey({ REDIS_KEY_PREFIX: 'aw', PLATFORM: 'deezer', ...settings } as Parameters<typeof budgetKey>[0]);

test('budgets and penalties are per app on Spotify and per egress IP address on Deezer', () => {
  expect(key({})).toBe('aw:platform-budget:deezer');
  expect(key({ PLATFORM_PROXY_URL: 'http://user:secret@proxy:3128' })).toBe('aw:platform-budget:deezer:proxy:3128');
  expect(key({ SPOTIFY_CLIENT_ID: 'one' })).toBe('aw:platform-budget:deezer');
  expect(key({ PLATFORM: 'spotify', SPOTIFY_CLIENT_ID: 'one' })).toBe('aw:platform-budget:spotify:one');
  expect(key({ PLATFORM: 'spotify', SPOTIFY_CLIENT_ID: 'two', PLATFORM_PROXY_URL: 'http://proxy:3128' })).toBe(
    'aw:platform-budget:spotify:two',
  );
});

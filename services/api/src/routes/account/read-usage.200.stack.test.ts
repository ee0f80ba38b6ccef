import { usageSchema } from '@artist-watch/contracts/api/account';
import { seedAccount, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

test.each([
  ['free', 1, 1, 60, 1, 0, 0, 0],
  ['starter', 10, 2, 600, 2, 0, 1, 0],
  ['pro', 50, 5, 6_000, 5, 0, 3, 0],
  ['business', 500, 25, 60_000, 20, 10, 10, 1_000],
] as const)(
  'the %s plan allows %d artists, %d seats and %d requests per hour',
  async (plan, artists, seats, rate, keys, destinations, chats, tools) => {
    const answer = await api.call('/v1/usage', await seedAccount(pool, plan));
    expect(usageSchema.parse(answer.body)).toEqual({
      plan,
      artists: { used: 0, limit: artists },
      seats: { used: 0, limit: seats },
      keys: { used: 1, limit: keys },
      destinations: { used: 0, limit: destinations },
      chat_destinations: { used: 0, limit: chats },
      tools: { used: 0, limit: tools },
      api_rate_per_hour: rate,
      paused_by_plan: { destinations: 0 },
    });
    expect(answer.headers['x-ratelimit-limit']).toBe(String(rate));
  },
);

test('usage includes the numbers of watched artists and members', async () => {
  const { accountId, key } = await seedAccount(pool, 'pro');
  await seedWatchedArtist(pool, accountId);
  await seedWatchedArtist(pool, accountId);
  await pool.query(
    `INSERT INTO members (id, account_id, email, created_at) VALUES ('mem_1', $1, 'nina@label.example', now())`,
    [accountId],
  );
  expect((await api.call('/v1/usage', { key })).body).toMatchObject({ artists: { used: 2 }, seats: { used: 1 } });
});

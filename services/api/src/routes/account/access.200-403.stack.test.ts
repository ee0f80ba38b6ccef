import { seedAccount, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const start = () => startApi(suite, (env, signal) => compose(readConfig(env), signal));
const api = await start();

test('an API key without the "manage" scope can read data and use lookups, but cannot change anything', async () => {
  const { accountId, keyId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId);
  await pool.query("UPDATE api_keys SET scopes = '{read}' WHERE id = $1", [keyId]);
  const refused = await Promise.all([
    api.call('/v1/artists', { key, method: 'POST', body: { platform_id: '27' } }),
    api.call(`/v1/artists/${artistId}`, { key, method: 'DELETE' }),
    api.call('/v1/destinations', { key, method: 'POST', body: {} }),
  ]);
  for (const { status, body, headers } of refused) {
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
    expect(headers['www-authenticate']).toMatch(/error="insufficient_scope", scope="manage"/);
  }
  expect((await api.call('/v1/artists', { key })).status).toBe(200);
  const lookup = await api.call('/v1/tools/lookup', { key, method: 'POST', body: { input: 'x' } });
  expect(lookup.body.error.code).toBe('unsupported_url');

  await pool.query("UPDATE api_keys SET scopes = '{manage}' WHERE id = $1", [keyId]);
  const writer = await start();
  expect((await writer.call('/v1/artists', { key })).body.error.code).toBe('insufficient_scope');
});

test("only the account's own keys and members are listed", async () => {
  const { accountId, keyId, key } = await seedAccount(pool);
  // If two ids were generated in the same millisecond, they could sort in either order.
  const newer = { keyId: `key_f${keyId.slice(5)}` };
  await pool.query(
    `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at) VALUES ($1, $2, $3, 'aw_live_', now())`,
    [newer.keyId, accountId, Buffer.alloc(32, 9)],
  );
  await pool.query(
    `UPDATE api_keys SET name = 'Reports', created_by = 'operator', scopes = '{read}', revoked_at = now() WHERE id = $1`,
    [newer.keyId],
  );
  await pool.query(
    `INSERT INTO members (id, account_id, email, role, created_at)
     VALUES ('mem_9', $1, 'nina@label.example', 'owner', now())`,
    [accountId],
  );
  await seedAccount(pool);
  const first = await api.call('/v1/keys?limit=1', { key });
  expect(first.body.data).toMatchObject([
    { id: newer.keyId, name: 'Reports', created_by: 'operator', scopes: ['read'], revoked_at: expect.any(String) },
  ]);
  expect(first.text).not.toContain('secret');
  const second = await api.call(`/v1/keys?cursor=${first.body.next_cursor}`, { key });
  expect(second.body).toMatchObject({
    data: [{ id: keyId, name: null, created_by: null, scopes: ['read', 'manage'], revoked_at: null }],
    next_cursor: null,
  });
  const members = await api.call('/v1/members', { key });
  expect(members.body).toMatchObject({
    data: [{ email: 'nina@label.example', role: 'owner', joined_at: null }],
    next_cursor: null,
  });
  expect((await api.call(`/v1/keys?cursor=${first.body.next_cursor}`, await seedAccount(pool))).status).toBe(400);
});

test('the usage of each day is stored when the replica stops, at the latest', async () => {
  const { accountId, key } = await seedAccount(pool);
  const replica = await start();
  const feed = (await api.call('/v1/feeds', { key, method: 'POST' })).body;
  for (const path of ['/v1/usage', '/v1/nothing']) await replica.call(path, { key });
  await replica.call(feed.path);
  await pool.query(
    `INSERT INTO tool_allowances (account_id, day, used) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 12)`,
    [accountId],
  );
  await pool.query(
    `WITH destination AS (
       INSERT INTO destinations (id, account_id, url, created_at) VALUES (new_id('dst', now()), $1, 'https://r.example/', now())
       RETURNING id)
     INSERT INTO deliveries (id, account_id, destination_id, change_id, state, created_at, settled_at)
     SELECT new_id('dlv', at), $1, id, 'chg_' || place, 'succeeded', at, at
       FROM destination,
            unnest(ARRAY[now(), now() - interval '1 day', now() - interval '1 day']) WITH ORDINALITY AS made (at, place)`,
    [accountId],
  );
  await replica.stop();

  const { body } = await api.call('/v1/usage/history?days=2', { key });
  expect(body).toMatchObject({
    data: [
      { requests: 0, tool_calls: 0, deliveries: 2 },
      { requests: 3, tool_calls: 12, deliveries: 1 },
    ],
    next_cursor: null,
  });
  expect((await api.call('/v1/usage/history', { key })).body.data).toHaveLength(30);
  expect((await api.call('/v1/usage/history?days=91', { key })).body.error.code).toBe('invalid_input');
  expect((await api.call('/v1/usage', { key })).body).toMatchObject({
    keys: { used: 1, limit: 20 },
    destinations: { used: 1, limit: 10 },
    tools: { used: 12, limit: 1_000 },
  });
  const [shown] = (await api.call('/v1/keys', { key })).body.data;
  expect(Date.parse(shown.last_used_at)).toBeGreaterThan(Date.parse(shown.created_at) - 1);
  const [used] = (await api.call('/v1/feeds', { key })).body.data;
  expect([used.id, Date.parse(used.last_used_at)]).toEqual([feed.id, expect.any(Number)]);
});

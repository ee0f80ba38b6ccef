import { TEST_CHANGE_LIMITS } from '@artist-watch/delivery/store/test-changes';
import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOUR_MS = 3_600_000;

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-31T12:00:00.000Z');
const start = () => startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));
const [api, other] = [await start(), await start()];

type Call = Parameters<typeof api.call>[1];

/** Creates an account with one real change from an hour ago. */
async function newAccount() {
  const { accountId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId);
  const [realId] = await seedFeed(pool, accountId, artistId, [new Date(clock.now().getTime() - HOUR_MS)]);
  const get = (path: string) => api.call(`/v1${path}`, { key });
  const create = (body?: object, call: Call = {}) =>
    api.call('/v1/test-changes', { key, method: 'POST', body, ...call } as Call);
  const destination = async (rules = {}) =>
    (await api.call('/v1/destinations', { key, method: 'POST', body: { url: 'https://receiver.example/', rules } }))
      .body.id as string;
  return { accountId, key, artistId, realId, get, create, destination };
}

const idsOf = ({ body }: ApiAnswer) => body.data.map(({ id }: { id: string }) => id);

describe('test changes', () => {
  test('a test change goes to the matching destinations of its account, but not to other accounts', async () => {
    const [account, stranger] = [await newAccount(), await newAccount()];
    await pool.query('UPDATE watches SET artist_id = $1 WHERE account_id = $2', [account.artistId, stranger.accountId]);
    const all = await account.destination();
    await account.destination({ change_types: ['label_changed'] });
    await account.destination({ artist_ids: [(await newAccount()).artistId] });
    const critical = await account.destination({ min_severity: 'critical', artist_ids: [account.artistId] });
    const off = await account.destination();
    await api.call(`/v1/destinations/${off}/disable`, { key: account.key, method: 'POST' });
    await stranger.destination();

    const { status, body } = await account.create({ artist_id: account.artistId });
    expect(status).toBe(201);
    expect(body.change).toMatchObject({
      ...{ type: 'release_removed', severity: 'critical', artist_id: account.artistId, artist_name: 'Nina Vale' },
      ...{ test: true, status: 'open', before: expect.objectContaining({ title: 'Discovery' }), after: null },
      summary: 'This is a test, not a real change. “Sample Release” by Nina Vale was removed from Deezer.',
    });
    const of = { change_id: body.change.id, trigger: 'test' };
    expect(body.deliveries).toHaveLength(3);
    expect(body.deliveries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...of, destination_id: all, state: 'pending' }),
        expect.objectContaining({ ...of, destination_id: critical, state: 'pending' }),
        expect.objectContaining({ ...of, destination_id: off, state: 'skipped', skipped_reason: 'destination_off' }),
      ]),
    );
    const shown = (await account.get(`/deliveries/${body.deliveries[0].id}`)).body;
    expect(JSON.parse(shown.request.body)).toMatchObject({
      event: 'change.confirmed',
      change_id: of.change_id,
      test: true,
    });

    expect((await account.get(`/changes/${of.change_id}`)).body).toMatchObject({ id: of.change_id, test: true });
    expect((await stranger.get(`/changes/${of.change_id}`)).status).toBe(404);
    expect(idsOf(await stranger.get('/changes?include_test=true'))).toEqual([stranger.realId]);
    expect((await stranger.get('/deliveries')).body.data).toEqual([]);
  });

  test('a test change appears in lists, polls and feeds only if include_test is set, and never in counts or exports', async () => {
    const account = await newAccount();
    const { artistId, realId, get } = account;
    const from = (await get('/changes?after=now&include_test=true')).body.next_cursor;
    const { id } = (await account.create({ artist_id: artistId, type: 'label_changed' })).body.change;
    const both = [id, realId];

    expect(idsOf(await get('/changes'))).toEqual([realId]);
    for (const query of ['', `&artist_id=${artistId}`, '&limit=2', '&q=sample'])
      expect(idsOf(await get(`/changes?include_test=true${query}`))).toEqual(query === '&q=sample' ? [id] : both);
    expect(idsOf(await get('/changes?include_test=true&entity_id=sample-release'))).toEqual([id]);
    expect(idsOf(await get('/changes?include_test=false'))).toEqual([realId]);
    const first = await get('/changes?include_test=true&limit=1');
    expect(idsOf(await get(`/changes?cursor=${first.body.next_cursor}`))).toEqual([realId]);

    // A change becomes readable once all older transactions have ended, including those from other suites.
    const poll = `/changes?type=label_changed&after=${from}`;
    const polled = await until('the test change', async () => {
      const answer = await get(`${poll}&include_test=true`);
      return answer.body.data.length > 0 && answer;
    });
    expect(polled.body.data).toMatchObject([{ id, test: true }]);
    expect((await get(poll)).body.data).toEqual([]);
    expect((await get(`/changes?after=${polled.body.next_cursor}&include_test=true`)).body.data).toEqual([]);
    expect((await get('/changes?after=now&include_test=true')).body.next_cursor).toBe(polled.body.next_cursor);

    expect((await get('/changes/feed.atom')).text).not.toContain(id);
    expect((await get('/changes/feed.atom?include_test=true')).text).toContain(id);
    expect((await get('/changes/export?format=ndjson')).text).not.toContain(id);
    expect((await get(`/changes/export?after=${from}`)).text).not.toContain(id);
    const counted = (await get('/changes/counts')).body.data as { total: number }[];
    expect(counted.reduce((sum, { total }) => sum + total, 0)).toBe(1);
    expect((await get(`/artists/${artistId}`)).body.counts.changes).toBe(1);
    for (const path of ['/changes/counts', '/changes/export'])
      expect((await get(`${path}?include_test=true`)).status).toBe(400);
    expect((await get('/changes?include_test=yes')).body.error.errors[0].param).toBe('include_test');
  });

  test('a test change can have any type, and has a sample artist if the request names none', async () => {
    const account = await newAccount();
    const { body } = await account.create({ type: 'chart_entry' });
    expect(body.change).toMatchObject({ artist_name: 'Sample Artist', severity: 'info', before: null, after: null });
    expect((await account.create({ type: 'chart_entry', severity: 'critical' })).body.change.severity).toBe('critical');
    expect((await account.create()).body.change).toMatchObject({
      type: 'release_removed',
      artist_id: body.change.artist_id,
    });
    expect(idsOf(await account.get('/artists'))).toEqual([account.artistId]);
  });

  test('a test change is created once per Idempotency-Key and is audited', async () => {
    const account = await newAccount();
    const keyed = { headers: { 'Idempotency-Key': 'once' } };
    const first = await account.create({ type: 'isrc_changed' }, keyed);
    expect((await account.create({ type: 'isrc_changed' }, keyed)).body).toEqual(first.body);
    expect((await account.create({ type: 'label_changed' }, keyed)).status).toBe(409);
    const { rows } = await pool.query(`SELECT action, subject_id FROM audit_events WHERE account_id = $1`, [
      account.accountId,
    ]);
    expect(rows).toEqual([{ action: 'change.tested', subject_id: first.body.change.id }]);
  });

  test('an account can create 60 test changes per hour across all replicas, and Retry-After is exact', async () => {
    const account = await newAccount();
    const answers = await Promise.all(
      Array.from({ length: TEST_CHANGE_LIMITS[0].count + 4 }, (_, n) =>
        (n % 2 === 0 ? api : other).call('/v1/test-changes', { key: account.key, method: 'POST' }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      Array(4).fill([429, '3600']),
    );
    expect((await (await newAccount()).create()).status).toBe(201);
    clock.advance(HOUR_MS - 1);
    expect((await account.create()).headers['retry-after']).toBe('1');
    clock.advance(1);
    expect((await account.create()).status).toBe(201);
  });

  test('an account can create at most 200 test changes per day', async () => {
    const account = await newAccount();
    await pool.query(
      `INSERT INTO test_feed_items (account_id, confirmed_at, change_id, position)
       SELECT $1, $2::timestamptz + n * interval '1 second', 'chg_' || n, n FROM generate_series(1, $3) n`,
      [account.accountId, new Date(clock.now().getTime() - 20 * HOUR_MS), TEST_CHANGE_LIMITS[1].count],
    );
    const refused = await account.create();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, String(4 * 3_600 + 1)]);
    clock.advance(4 * HOUR_MS + 1_000);
    expect((await account.create()).status).toBe(201);
  });
});

test.each([
  ["another account's artist", async () => ({ artist_id: (await newAccount()).artistId }), 404, 'not_found'],
  ['a type that is not snake_case', async () => ({ type: 'Removed' }), 400, 'invalid_input'],
  ['an unknown severity', async () => ({ severity: 'fatal' }), 400, 'invalid_input'],
  ['an unknown field', async () => ({ before: 1 }), 400, 'invalid_input'],
])('%s is rejected', async (_what, body, status, code) => {
  expect(await (await newAccount()).create(await body())).toMatchObject({ status, body: { error: { code } } });
});

test('test changes require the Business plan and a key with the `manage` scope', async () => {
  const { key } = await seedAccount(pool, 'pro');
  const post = (secret: string) => api.call('/v1/test-changes', { key: secret, method: 'POST' });
  expect(await post(key)).toMatchObject({ status: 403, body: { error: { code: 'plan_required' } } });
  const reader = await seedAccount(pool);
  await pool.query(`UPDATE api_keys SET scopes = '{read}' WHERE id = $1`, [reader.keyId]);
  expect(await post(reader.key)).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
});

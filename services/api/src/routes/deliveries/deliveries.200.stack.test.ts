import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const account = await seedAccount(pool);
const get = (path: string) => api.call(`/v1/deliveries${path}`, account);
const idsOf = (answer: ApiAnswer): string[] => answer.body.data.map((delivery: { id: string }) => delivery.id);

const makeDestination = async (): Promise<string> =>
  (await api.call('/v1/destinations', { ...account, method: 'POST', body: { url: 'https://receiver.example/' } })).body
    .id;
const [first, second] = [await makeDestination(), await makeDestination()];

const deliveries: string[] = [];
for (let n = 0; n < 5; n += 1) {
  const answer = await api.call(`/v1/destinations/${first}/test`, {
    ...account,
    method: 'POST',
    body: { wait_seconds: 0 },
  });
  expect(answer.status).toBe(202);
  deliveries.push(answer.body.id);
}
const [settled] = deliveries as [string];
await pool.query(
  `UPDATE deliveries SET state = 'failed', attempt_count = 1, next_attempt_at = NULL, relay_at = NULL, settled_at = now(),
          last_failure = 'unexpected_status:5xx' WHERE id = $1`,
  [settled],
);
await pool.query(
  `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt, started_at, ended_at)
   VALUES ('att_1', $1, 1, 'failed', 'receiver', 500, 'unexpected_status', 'The receiver responded with 500.', '<oops>',
           '2026-05-01T12:00:00.100Z', '2026-05-01T12:00:00.200Z')`,
  [settled],
);
const newestFirst = [...deliveries].reverse();

describe('deliveries', () => {
  test('deliveries are listed newest first', async () => {
    const answer = await get('');
    expect(idsOf(answer)).toEqual(newestFirst);
    expect(answer.body.next_cursor).toBeNull();
    expect(answer.body.data[0]).toMatchObject({
      destination_id: first,
      change_id: null,
      state: 'pending',
      trigger: 'test',
    });
  });

  test('deliveries can be filtered by destination, state and change', async () => {
    expect(idsOf(await get(`?destination=${second}`))).toEqual([]);
    expect(idsOf(await get(`?destination=${first}&state=failed`))).toEqual([settled]);
    expect(idsOf(await get('?state=pending'))).toHaveLength(4);
    expect(idsOf(await get(`?change=chg_${'0'.repeat(32)}`))).toEqual([]);
  });

  test('deliveries can be filtered by time and by kind of failure', async () => {
    const [before, after] = [new Date(Date.now() - 60_000).toISOString(), new Date(Date.now() + 60_000).toISOString()];
    expect(idsOf(await get(`?since=${before}&until=${after}`))).toEqual(newestFirst);
    expect(idsOf(await get(`?until=${before}`))).toEqual([]);
    expect(idsOf(await get(`?since=${after}`))).toEqual([]);
    expect(idsOf(await get('?error=unexpected_status&status_class=5xx&blame=receiver&trigger=test'))).toEqual([
      settled,
    ]);
    expect(idsOf(await get('?status_class=4xx'))).toEqual([]);
    const page = await get(`?since=${before}&limit=2`);
    expect(idsOf(await get(`?cursor=${page.body.next_cursor}&since=${before}`))).toEqual(newestFirst.slice(2));
    expect(await get(`?cursor=${page.body.next_cursor}&since=${after}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_cursor' } },
    });
  });

  test('deliveries are listed in pages, and a cursor works only with the filters of its first page', async () => {
    const page = await get('?state=pending&limit=3');
    expect(idsOf(page)).toEqual(newestFirst.slice(0, 3));
    const next = /^<\/v1\/deliveries(.*)>; rel="next"$/.exec(page.headers.link as string)?.[1] as string;
    const last = await get(next);
    expect(idsOf(last)).toEqual(newestFirst.slice(3, 4));
    expect(last.headers.link).toBeUndefined();
    const other = await get(`?state=failed&cursor=${page.body.next_cursor}`);
    expect(other).toMatchObject({ status: 400, body: { error: { code: 'invalid_cursor' } } });
  });

  test.each([
    ['state=lost', 'invalid_input'],
    ['state=pending&state=failed', 'invalid_input'],
    ['destination=dst_1', 'invalid_input'],
    ['change=%00', 'invalid_input'],
    ['trigger=me', 'invalid_input'],
    ['error=status', 'invalid_input'],
    ['status_class=2xx', 'invalid_input'],
    ['blame=egress', 'invalid_input'],
    ['since=yesterday', 'invalid_since'],
    ['until=2026-05-01', 'invalid_input'],
    ['limit=201', 'invalid_limit'],
    ['cursor=x', 'invalid_cursor'],
  ])('a list of deliveries with %s is rejected as %s', async (query, code) => {
    expect(await get(`?${query}`)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test('a delivery contains the request that the receiver got, with its signature hidden', async () => {
    const { request, change } = (await get(`/${settled}`)).body;
    expect(change).toBeNull();
    const headers = Object.fromEntries(request.headers.map(({ name, value }: Record<string, string>) => [name, value]));
    expect(headers).toMatchObject({
      'X-Service-Delivery': settled,
      'X-Service-Attempt': '1',
      'X-Service-Signature': 't=(hidden),v1=(hidden)',
    });
    expect(request).toMatchObject({ method: 'POST', url: 'https://receiver.example/' });
    expect(JSON.parse(request.body)).toMatchObject({ event: 'change.confirmed' });
  });

  test('each delivery in a list has its latest attempt', async () => {
    const { data } = (await get('')).body;
    const attempts = Object.fromEntries(
      data.map(({ id, last_attempt }: { id: string; last_attempt: unknown }) => [id, last_attempt]),
    );
    const ended_at = '2026-05-01T12:00:00.200Z';
    expect(attempts[settled]).toEqual({ number: 1, status_code: 500, error: 'unexpected_status', ended_at });
    for (const { id, attempt_count: count } of data) expect([id, attempts[id] === null]).toEqual([id, count === 0]);
  });

  test('a delivery contains Standard Webhooks headers if its destination adds them', async () => {
    await pool.query('UPDATE destinations SET standard_webhooks = true');
    const { request } = (await get(`/${settled}`)).body;
    await pool.query('UPDATE destinations SET standard_webhooks = false');
    const headers = Object.fromEntries(request.headers.map(({ name, value }: Record<string, string>) => [name, value]));
    expect(headers).toMatchObject({
      'webhook-id': JSON.parse(request.body).change_id,
      'webhook-timestamp': '(hidden)',
      'webhook-signature': 'v1,(hidden)',
    });
  });

  test('a delivery contains every attempt', async () => {
    expect((await get(`/${settled}`)).body).toMatchObject({
      id: settled,
      state: 'failed',
      attempts: [
        {
          number: 1,
          outcome: 'failed',
          blame: 'receiver',
          status_code: 500,
          error: 'unexpected_status',
          reason: 'The receiver responded with 500.',
          advice: expect.stringContaining('The receiver must return a 2xx status within 10 seconds'),
          duration_ms: 100,
          response_excerpt: '<oops>',
          started_at: '2026-05-01T12:00:00.100Z',
          ended_at: '2026-05-01T12:00:00.200Z',
        },
      ],
    });
  });

  test('a delivery can be resent, but not while it is pending', async () => {
    const resend = (id: string) => api.call(`/v1/deliveries/${id}/resend`, { ...account, method: 'POST' });
    expect(await resend(settled)).toMatchObject({
      status: 202,
      body: { id: settled, state: 'pending', trigger: 'resend' },
    });
    expect(await resend(settled)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });
});

describe('recovery of deliveries', () => {
  const recover = (body: unknown, key?: string) =>
    api.call('/v1/deliveries/recover', {
      ...account,
      method: 'POST',
      body,
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
    });
  const since = new Date(Date.now() - 60_000).toISOString();

  test('a recovery can be previewed and sends each delivery once', async () => {
    const artistId = await seedWatchedArtist(pool, account.accountId);
    const changes = await seedFeed(pool, account.accountId, artistId, [new Date(), new Date(), new Date()]);
    await pool.query(
      `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, last_failure, created_at, settled_at)
       SELECT new_id('dlv', now()), $1, destination, change, state::delivery_state, failure, now(), now()
         FROM unnest($2::text[], $3::text[], ARRAY['failed', 'failed', 'skipped'], ARRAY['timed_out', 'tls_failed', NULL])
              AS missed (destination, change, state, failure)`,
      [account.accountId, [first, second, second], changes],
    );
    expect(await recover({ since, error: 'timed_out', dry_run: true })).toMatchObject({
      status: 200,
      body: { dry_run: true, would_send: 1, recovered: 1, first: { destination_id: first }, left_out: 0 },
    });
    const sent = await recover({ since, error: 'timed_out' }, 'one');
    expect(sent).toMatchObject({ status: 202, body: { recovered: 1 } });
    expect((await recover({ since, error: 'timed_out' }, 'one')).body).toEqual({
      recovered: 1,
      remaining: 0,
      next_cursor: null,
    });
    await api.call(`/v1/destinations/${second}/disable`, { ...account, method: 'POST' });
    expect((await recover({ since, dry_run: true })).body).toMatchObject({ recovered: 0, first: null, left_out: 2 });
    expect((await recover({ since, destination: second })).body.error.code).toBe('conflict');
    await api.call(`/v1/destinations/${second}/enable`, { ...account, method: 'POST' });
    expect((await recover({ since, state: 'skipped' })).body).toEqual({
      recovered: 1,
      remaining: 0,
      next_cursor: null,
    });
    expect((await recover({ since })).body).toEqual({ recovered: 1, remaining: 0, next_cursor: null });
  });

  test.each([true, false])('a recovery for an unknown destination gets a 404 (dry_run: %s)', async (dryRun) => {
    const other = await seedAccount(pool);
    const body = { url: 'https://receiver.example/' };
    const foreign = await api.call('/v1/destinations', { ...other, method: 'POST', body });
    for (const destination of [foreign.body.id, `dst_${'0'.repeat(32)}`]) {
      expect(await recover({ since, destination, dry_run: dryRun })).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    }
  });

  test.each([
    [{}, 'invalid_input'],
    [{ since: 'yesterday' }, 'invalid_since'],
    [{ since, until: since }, 'invalid_input'],
    [{ since, state: 'succeeded' }, 'invalid_input'],
    [{ since, error: 'oops' }, 'invalid_input'],
    [{ since, account: 'acc_1' }, 'invalid_input'],
  ])('a recovery with %j is rejected as %s', async (body, code) => {
    expect(await recover(body)).toMatchObject({ status: 400, body: { error: { code } } });
  });
});

test("every response has the artist's name as it was when the change was confirmed", async () => {
  const other = await seedAccount(pool);
  const ask = async (method: string, path: string, body?: unknown) =>
    (await api.call(`/v1${path}`, { ...other, method, ...(body !== undefined && { body }) })).body;
  const { id: destination } = await ask('POST', '/destinations', { url: 'https://receiver.example/' });
  const artistId = await seedWatchedArtist(pool, other.accountId, { name: 'The new name' });
  const [changeId] = await seedFeed(pool, other.accountId, artistId, [new Date()]);
  await pool.query("UPDATE changes SET artist_name = 'The old name' WHERE id = $1", [changeId]);
  const { rows } = await pool.query(
    `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, created_at, settled_at)
     VALUES (new_id('dlv', now()), $1, $2, $3, 'skipped', now(), now()) RETURNING id`,
    [other.accountId, destination, changeId],
  );
  const names = [
    (await ask('GET', '/changes')).data[0].artist_name,
    (await ask('GET', `/deliveries/${rows[0].id}`)).change.artist_name,
    (await ask('POST', '/destinations/preview', { rules: {} })).matching.newest[0].artist_name,
  ];
  expect(names).toEqual(names.map(() => 'The old name'));
});

import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { seedMember } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

async function withDestination() {
  const account = await seedAccount(pool);
  const call = (method: string, path = '', body?: unknown): Promise<ApiAnswer> =>
    api.call(`/v1/destinations${path}`, { method, key: account.key, ...(body !== undefined && { body }) });
  const { id } = (await call('POST', '', { url: 'https://receiver.example/a', rules: { min_severity: 'warning' } }))
    .body;
  return { ...account, id, call };
}

describe('existing destinations', () => {
  test('an update does not change the fields that it omits', async () => {
    const { id, call } = await withDestination();
    const changed = await call('PATCH', `/${id}`, { rules: { change_types: ['release_removed'] } });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        url: 'https://receiver.example/a',
        rules: { min_severity: 'warning', change_types: ['release_removed'], artist_ids: [], group_ids: [] },
      },
    });
    expect(
      (await call('PATCH', `/${id}`, { url: 'https://receiver.example/b', rules: { min_severity: null } })).body,
    ).toMatchObject({
      url: 'https://receiver.example/b',
      rules: { min_severity: null, change_types: ['release_removed'] },
    });
    expect((await call('PATCH', `/${id}`, {})).status).toBe(200);
    expect((await call('PATCH', `/${id}`, { url: 'http://10.0.0.1/' })).body.error.code).toBe('invalid_input');
    expect((await call('PATCH', `/${id}`, { secret: 'x'.repeat(20) })).body.error.code).toBe('invalid_input');
  });

  test('a new URL or secret triggers an email to every owner, at most ten per hour and action', async () => {
    const { id, call, accountId } = await withDestination();
    const owner = await seedMember(pool, accountId);
    await seedMember(pool, accountId, { role: 'member' });
    const mailed = async () =>
      (
        await pool.query(
          `SELECT recipient, data ->> 'action' AS action, data ->> 'actorKind' AS kind, (data ->> 'isLast')::bool AS last
             FROM mails WHERE account_id = $1 ORDER BY id`,
          [accountId],
        )
      ).rows;
    const mail = { recipient: owner.email, kind: 'api_key', last: false };
    await call('PATCH', `/${id}`, { name: 'Desk', rules: { min_severity: null } });
    expect(await mailed()).toEqual([]);
    await call('POST', `/${id}/rotate-secret`, {});
    await call('PATCH', `/${id}`, { url: 'https://receiver.example/elsewhere' });
    expect(await mailed()).toEqual([
      { ...mail, action: 'destination.secret_rotated' },
      { ...mail, action: 'destination.changed' },
    ]);
    for (let change = 0; change < 11; change += 1) {
      await call('PATCH', `/${id}`, { url: `https://receiver.example/${change}` });
    }
    const all = (await mailed()).filter(({ action }) => action === 'destination.changed');
    expect([all.length, all.at(-1)?.last, all.at(-2)?.last]).toEqual([10, true, false]);
  });

  test('a destination can have a name, which can be removed', async () => {
    const { id, call } = await withDestination();
    expect((await call('GET', `/${id}`)).body.name).toBeNull();
    const named = await call('POST', '', { url: 'https://receiver.example/b', name: 'Büro “West”' });
    expect(named.body.name).toBe('Büro “West”');
    expect((await call('PATCH', `/${id}`, { name: 'Desk' })).body.name).toBe('Desk');
    expect((await call('PATCH', `/${id}`, { rules: {} })).body.name).toBe('Desk');
    expect((await call('PATCH', `/${id}`, { name: null })).body.name).toBeNull();
    for (const name of ['', ' ', 'a\nb', 'x'.repeat(101), 7]) {
      expect((await call('PATCH', `/${id}`, { name })).body.error.code).toBe('invalid_input');
    }
  });

  test('a destination counts its deliveries in the last 24 hours by state, without tests', async () => {
    const { id, accountId, call } = await withDestination();
    await call('POST', `/${id}/test`, { wait_seconds: 0 });
    await pool.query(
      `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, created_at, settled_at)
       SELECT new_id('dlv', at), $1, $2, new_id('chg', at), state::delivery_state, at, at
         FROM unnest(ARRAY['failed', 'skipped', 'succeeded', 'succeeded', 'succeeded']::text[],
                     ARRAY[1, 2, 3, 23, 25]) AS made (state, hours_ago),
              LATERAL (SELECT now() - hours_ago * interval '1 hour') AS instant (at)`,
      [accountId, id],
    );
    const stats = { deliveries: 4, pending: 0, succeeded: 2, failed: 1, skipped: 1 };
    expect((await call('GET', `/${id}`)).body.stats_24h).toEqual(stats);
    expect((await call('GET')).body.data[0].stats_24h).toEqual(stats);
  });

  test('a destination can be tested with any of our change types', async () => {
    const { id, key, call } = await withDestination();
    const sent = async (body: object) => {
      const { body: delivery } = await call('POST', `/${id}/test`, { wait_seconds: 0, ...body });
      return JSON.parse((await api.call(`/v1/deliveries/${delivery.id}`, { key })).body.request.body);
    };
    expect(await sent({})).toMatchObject({ change_type: 'release_added', entity_type: 'release', severity: 'info' });
    expect(await sent({ change_type: 'isrc_changed' })).toMatchObject({
      change_type: 'isrc_changed',
      entity_type: 'track',
      severity: 'critical',
      artist_platform_id: 'sample-artist',
      summary: expect.stringMatching(/^This is a test, not a real change\. The ISRC of the track/),
    });
    expect(await call('POST', `/${id}/test`, { change_type: 'isrc_change' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input', message: expect.stringContaining('the closest match is isrc_changed') } },
    });
  });

  test('a destination can be disabled and enabled', async () => {
    const { id, call } = await withDestination();
    const off = await call('POST', `/${id}/disable`);
    expect(off).toMatchObject({ status: 200, body: { state: 'off' } });
    const at = off.body.switched_off_at;
    expect(off.body).toMatchObject({
      switched_off_at: expect.stringMatching(/Z$/),
      switched_off: { code: 'disabled', at, consecutive_failures: 0, last_status: null, last_error: null },
    });
    await pool.query('UPDATE destinations SET consecutive_failures = 20 WHERE id = $1', [id]);
    expect(await call('POST', `/${id}/enable`)).toMatchObject({
      status: 200,
      body: {
        state: 'active',
        consecutive_failures: 0,
        switched_off_at: null,
        switched_off_reason: null,
        switched_off: null,
      },
    });
  });

  test('a destination lists the notifications that its account received', async () => {
    const { id, call } = await withDestination();
    await pool.query(
      `WITH notice AS (
         INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason, last_status, last_error)
         VALUES ('ntc_1', $1, 'warning', '2026-05-01T12:00:00.120Z', 10, '10 failed attempts in a row.', 500, 'unexpected_status'))
       UPDATE destinations SET consecutive_failures = 11 WHERE id = $1`,
      [id],
    );
    const warning = {
      kind: 'warning',
      code: 'warning',
      at: '2026-05-01T12:00:00.120Z',
      consecutive_failures: 10,
      message: '10 failed attempts in a row.',
      last_status: 500,
      last_error: 'unexpected_status',
    };
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      warnings: [warning],
      notices: [{ id: 'ntc_1', ...warning }],
    });
    const enabled = (await call('POST', `/${id}/enable`)).body;
    expect(enabled.warnings).toEqual([]);
    expect(enabled.notices.map(({ kind }: { kind: string }) => kind)).toEqual(['enabled', 'warning']);
  });

  test('the secret of a destination is replaced in two steps', async () => {
    const { id, call } = await withDestination();
    expect((await call('POST', `/${id}/activate-secret`)).body.error.code).toBe('conflict');
    const rotated = await call('POST', `/${id}/rotate-secret`);
    expect(rotated.body.next_secret).toMatch(/^whsec_/);
    expect(rotated.body.next_secret_pending).toBe(true);
    expect((await call('GET', `/${id}`)).text).not.toContain(rotated.body.next_secret);
    expect(await call('POST', `/${id}/rotate-secret`, {})).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    const replaced = await call('POST', `/${id}/rotate-secret`, { replace: true });
    expect(replaced.body.next_secret).not.toBe(rotated.body.next_secret);
    expect((await call('POST', `/${id}/activate-secret`)).body).toMatchObject({
      id,
      signed: true,
      next_secret_pending: false,
    });
    expect((await call('POST', `/${id}/activate-secret`)).body.error.code).toBe('conflict');
  });

  test('deleting a destination keeps its deliveries', async () => {
    const { id, key, call } = await withDestination();
    const delivery = (await call('POST', `/${id}/test`, { wait_seconds: 0 })).body;
    expect(delivery.message).toBe(`No result within 0 s. Check GET /v1/deliveries/${delivery.id} later.`);
    expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 204, text: '' });
    expect((await call('GET', `/${id}`)).status).toBe(404);
    expect((await call('GET')).body).toEqual({ data: [], next_cursor: null });
    expect((await api.call(`/v1/deliveries/${delivery.id}`, { key })).body).toMatchObject({ state: 'skipped' });
  });

  test('that is deleted while it is tested ends the test with a message', async () => {
    const { id, key, call } = await withDestination();
    const tested = call('POST', `/${id}/test`, { wait_seconds: 10 });
    await until(
      'the test to be stored',
      async () => (await api.call('/v1/deliveries', { key })).body.data.length === 1,
    );
    await call('DELETE', `/${id}`);
    expect((await tested).body).toMatchObject({
      state: 'skipped',
      skipped_reason: 'destination_deleted',
      message: 'The test was not sent. See `skipped_reason`.',
    });
  });
});

describe('preview', () => {
  test('a preview counts and lists the matching changes of the last 30 days, and explains why others are excluded', async () => {
    const { accountId, call } = await withDestination();
    const artistId = await seedWatchedArtist(pool, accountId);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const [newest, older] = await seedFeed(pool, accountId, artistId, [daysAgo(1), daysAgo(29), daysAgo(31)]);
    const preview = async (rules: unknown) => (await call('POST', '/preview', { rules })).body;
    const all = await preview({});
    expect(all).toMatchObject({ days: 30, matching: { count: 2 }, others: { count: 0, newest: [] } });
    expect(all.matching.newest.map(({ id }: { id: string }) => id)).toEqual([newest, older]);
    const none = await preview({ change_types: ['isrc_changed'], artist_ids: [`art_${'0'.repeat(32)}`] });
    expect(none).toMatchObject({
      matching: { count: 0, newest: [] },
      others: { count: 2, by_rule: { min_severity: 0, change_types: 2, artist_ids: 2 } },
    });
    expect(none.others.newest[0]).toMatchObject({ id: newest, kept_back_by: ['change_types', 'artist_ids'] });
    expect((await (await withDestination()).call('POST', '/preview', { rules: {} })).body.matching.count).toBe(0);
    for (const body of [{}, { rules: { change_types: ['Gone!'] } }, { rules: {}, days: 3 }]) {
      expect((await call('POST', '/preview', body)).body.error.code).toBe('invalid_input');
    }
  });
});

describe('recover', () => {
  test('a recovery resends each delivery that was skipped or failed since the requested time, exactly once', async () => {
    const { id, accountId, call } = await withDestination();
    const artistId = await seedWatchedArtist(pool, accountId);
    const changes = await seedFeed(pool, accountId, artistId, [new Date(), new Date(), new Date()]);
    await pool.query(
      `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, created_at, settled_at)
       SELECT new_id('dlv', now()), $1, $2, change, state::delivery_state, now(), now()
         FROM unnest($3::text[], ARRAY['skipped', 'failed', 'succeeded']) AS missed (change, state)`,
      [accountId, id, changes],
    );
    const since = new Date(Date.now() - 60_000).toISOString();
    const preview = await call('POST', `/${id}/recover`, { since, dry_run: true });
    expect(preview).toMatchObject({
      status: 200,
      body: { dry_run: true, would_send: 2, recovered: 2, first: { destination_id: id }, last: { destination_id: id } },
    });
    const until = new Date(Date.now() - 30_000).toISOString();
    expect((await call('POST', `/${id}/recover`, { since, until })).body).toEqual({
      recovered: 0,
      remaining: 0,
      next_cursor: null,
    });
    expect(await call('POST', `/${id}/recover`, { since })).toMatchObject({ status: 202, body: { recovered: 2 } });
    expect((await call('POST', `/${id}/recover`, { since })).body).toEqual({
      recovered: 0,
      remaining: 0,
      next_cursor: null,
    });
  });

  test.each([
    [{ since: 'yesterday' }, 'invalid_since'],
    [{ since: '2026-05-01' }, 'invalid_since'],
    [{ since: 1_777_636_800 }, 'invalid_input'],
    [{}, 'invalid_input'],
    [{ since: '2026-05-01T12:00:00Z', until: 'tomorrow' }, 'invalid_input'],
    [{ since: '2026-05-01T12:00:00Z', until: '2026-05-01T12:00:00Z' }, 'invalid_input'],
    [{ since: '2026-05-01T12:00:00Z', dry_run: 'yes' }, 'invalid_input'],
  ])('a recovery of a destination with %j is rejected as %s', async (body, code) => {
    const { id, call } = await withDestination();
    expect(await call('POST', `/${id}/recover`, body)).toMatchObject({ status: 400, body: { error: { code } } });
  });
});

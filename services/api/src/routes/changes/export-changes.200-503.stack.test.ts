import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { seedAccount, seedFeed, seedKey, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MANY = 40_000;

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-31T12:00:00.000Z');
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));

async function accountWithFeed(agesMs: readonly number[], plan: 'free' | 'business' = 'business') {
  const account = await seedAccount(pool, plan);
  const artistId = await seedWatchedArtist(pool, account.accountId);
  const instants = agesMs.map((ageMs) => new Date(clock.now().getTime() - ageMs));
  return { ...account, artistId, ids: await seedFeed(pool, account.accountId, artistId, instants) };
}

const lines = (text: string) => text.split('\n').filter(Boolean);
const ids = (text: string) => lines(text).map((line) => JSON.parse(line).id);

describe('exports', () => {
  test('an export contains each matching change of the account once, newest first, and counts as one request', async () => {
    const account = await accountWithFeed(Array.from({ length: 450 }, (_, n) => n * HOUR_MS));
    await accountWithFeed([HOUR_MS]);
    await pool.query(`UPDATE changes SET severity = 'info', entity_name = 'Éclair' WHERE id = $1`, [account.ids[440]]);
    const before = await api.call('/v1/usage', account);
    const all = await api.call('/v1/changes/export?format=ndjson', account);
    expect(all.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="changes-2026-05-31.ndjson"',
      'transfer-encoding': 'chunked',
      'x-ratelimit-remaining': String(Number(before.headers['x-ratelimit-remaining']) - 1),
    });
    expect(all.headers).not.toHaveProperty('etag');
    expect(ids(all.text)).toEqual(account.ids);
    expect(JSON.parse(lines(all.text)[0] ?? '')).toEqual({
      ...(await api.call(`/v1/changes/${account.ids[0]}`, account)).body,
      origin: undefined,
      observations: undefined,
    });
    const of = async (query: string) =>
      ids((await api.call(`/v1/changes/export?format=ndjson&${query}`, account)).text);
    expect(await of('since=2026-05-31T11:00:00Z')).toEqual(account.ids.slice(0, 2));
    expect(await of('until=2026-05-31T11:00:00Z&severity=critical')).toHaveLength(447);
    expect(await of('q=%C3%A9clair&type=release_removed')).toEqual([account.ids[440]]);
    expect(await of('type=nobody_knows')).toEqual([]);
    const head = await api.call('/v1/changes/export', { ...account, method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  test('a CSV export is safe in a spreadsheet: it has a UTF-8 byte order mark, quoted cells and no formulas', async () => {
    const account = await accountWithFeed([1, 2, 3, 4, 5, 6]);
    const names = ['=1+1', '+1', '@SUM(A1)', ' -2', 'a;=cmd|b', 'Say "Éclair",\r\n=x'];
    for (const [place, name] of names.entries()) {
      await pool.query('UPDATE changes SET entity_name = $2 WHERE id = $1', [account.ids[place], name]);
    }
    const { text, headers } = await api.call('/v1/changes/export', account);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [head, ...rows] = text.split(/\r\n(?=chg_|$)/);
    expect(head).toBe(
      '\uFEFFid,confirmed_at,detected_at,severity,type,artist_id,artist_name,entity_type,entity_id,entity_name,' +
        'release_id,release_name,summary,before,after,platform_url,recorded_at,status,note,assignee',
    );
    const cells = ["'=1+1", "'+1", "'@SUM(A1)", " '-2", '"a;\'=cmd|b"', '"Say ""Éclair"",\r\n\'=x"'];
    expect(rows.filter(Boolean)).toEqual(
      cells.map((cell, place) =>
        expect.stringContaining(
          `,release,r${place + 1},${cell},,,"The release ""Night Drive"" is no longer available.",,,`,
        ),
      ),
    );
  });

  test("an export starts no earlier than the plan's history period, and a header reports the start if an earlier one was requested", async () => {
    const account = await accountWithFeed([HOUR_MS, 7 * DAY_MS, 7 * DAY_MS + 1], 'free');
    const plain = await api.call('/v1/changes/export?format=ndjson', account);
    expect(ids(plain.text)).toEqual(account.ids.slice(0, 2));
    expect(plain.headers).not.toHaveProperty('x-history-since');
    const clamped = await api.call('/v1/changes/export?format=ndjson&since=2020-01-01T00:00:00Z', account);
    expect(clamped.headers['x-history-since']).toBe('2026-05-24T12:00:00.000Z');
    expect(clamped.text).toBe(plain.text);
  });

  test.each([
    ['format=xls', 'invalid_input'],
    ['format=csv&format=csv', 'invalid_input'],
    ['severity=grave', 'invalid_input'],
    ['since=never', 'invalid_since'],
    ['limit=1', 'invalid_input'],
  ])('an export with the query %s is rejected as %s before any data is sent', async (query, code) => {
    const account = await seedAccount(pool);
    expect(await api.call(`/v1/changes/export?${query}`, account)).toMatchObject({
      status: 400,
      body: { error: { code } },
    });
  });
});

describe('long exports', () => {
  async function opened(account: { readonly key: string }) {
    const request = get({
      ...{ host: '127.0.0.1', port: api.port, path: '/v1/changes/export?format=ndjson', agent: false },
      headers: { Authorization: `Bearer ${account.key}` },
    });
    request.on('error', () => undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    return answer.on('error', () => undefined).setEncoding('utf8');
  }

  async function restOf(answer: IncomingMessage): Promise<string> {
    let text = '';
    answer.on('data', (part: string) => {
      text += part;
    });
    await new Promise((resolve) => answer.once('close', resolve));
    return text;
  }

  test.each([
    ['is revoked', 'DELETE FROM api_keys WHERE id = $1'],
    ['has expired', "UPDATE api_keys SET expires_at = '2026-01-01' WHERE id = $1"],
  ])(
    'an export is aborted when its key %s, and another key can continue after the last change received',
    async (_how, end) => {
      const account = await accountWithFeed(Array.from({ length: MANY }, (_, n) => n * 1_000));
      const other = await seedKey(pool, account.accountId);
      const answer = await opened(account);
      await pool.query(end, [account.keyId]);
      await until('the rejection', async () => (await api.call('/v1/usage', account)).status === 401);
      const text = await restOf(answer);
      expect(answer.complete).toBe(false);
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      const last = ids(whole).at(-1) as string;
      expect(account.ids.length - ids(whole).length).toBeGreaterThan(10_000);
      const rest = await api.call(`/v1/changes/export?format=ndjson&continue_after=${last}`, other);
      expect([...ids(whole), ...ids(rest.text)]).toEqual(account.ids);
      expect((await api.call(`/v1/changes/export?continue_after=chg_${'0'.repeat(32)}`, other)).status).toBe(404);
    },
  );

  test("after a downgrade, a running export stops at the start of the new plan's history period", async () => {
    const newest = Array.from({ length: MANY }, (_, n) => n * 1_000);
    const account = await accountWithFeed([...newest, ...newest.map((ageMs) => 8 * DAY_MS + ageMs)]);
    const answer = await opened(account);
    await pool.query("UPDATE accounts SET plan = 'free' WHERE id = $1", [account.accountId]);
    await until('the downgrade', async () => (await api.call('/v1/usage', account)).body.plan === 'free');
    const text = await restOf(answer);
    expect(answer.complete).toBe(true);
    expect(ids(text)).toEqual(account.ids.slice(0, MANY));
  });

  test('an account can run two exports at a time; a slow client uses no database connection, and a database error aborts the export', async () => {
    const account = await accountWithFeed(Array.from({ length: MANY }, (_, n) => n * 1_000));
    const open = async (): Promise<IncomingMessage> => {
      const request = get({
        ...{ host: '127.0.0.1', port: api.port, path: '/v1/changes/export?format=ndjson', agent: false },
        headers: { Authorization: `Bearer ${account.key}` },
      });
      request.on('error', () => undefined);
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(200);
      return answer.on('error', () => undefined);
    };
    const [first, second] = [await open(), await open()];
    expect(await api.call('/v1/changes/export', account)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: { code: 'service_unavailable' } },
    });
    await until('the end of the last query', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'api' AND (state <> 'idle' OR xact_start IS NOT NULL)`,
      );
      return rows.length === 0;
    });
    second.destroy();
    await until('the end of the disconnected export', async () => {
      const answer = await api.call('/v1/changes/export', { ...account, method: 'HEAD' });
      return answer.status === 200;
    });
    const third = await open();
    let read = 0;
    for await (const chunk of third) read += lines(String(chunk)).length;
    expect(read).toBeGreaterThanOrEqual(MANY);

    await pool.query('ALTER TABLE feed_items RENAME TO feed_items_away');
    try {
      let text = '';
      first.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      await new Promise((resolve) => first.once('close', resolve));
      expect(first.complete).toBe(false);
      expect(lines(text).length).toBeLessThan(MANY);
    } finally {
      await pool.query('ALTER TABLE feed_items_away RENAME TO feed_items');
    }
  });
});

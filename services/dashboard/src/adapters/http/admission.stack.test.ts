import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const statements = recordStatements();
const relay = await startRelay(suite.databaseUrl, statements.observe);
suite.onEnd(() => relay.close());
const start = () =>
  startDashboard(suite, (env, signal) => compose(readConfig(env), signal), {
    DATABASE_URL: relay.url,
    TRUSTED_PROXY_CIDRS: '127.0.0.0/8',
  });
const dashboard = await start();
const { accountId } = await seedAccount(pool, 'free');
const member = await seedMember(pool, accountId);
const home = `/a/${accountId}`;

let networks = 0;
function newNetwork(): Record<string, string> {
  networks += 1;
  return { 'X-Forwarded-For': `198.18.${networks >> 8}.${networks & 255}` };
}

describe('bodies of forms', () => {
  const FORM = 'application/x-www-form-urlencoded';

  test.each([
    ['br', brotliCompressSync],
    ['gzip', gzipSync],
  ])(
    'a form with the Content-Encoding %s is rejected with a 415 and never decompressed',
    async (encoding, compress) => {
      const bomb = compress(Buffer.alloc(4_000, '&')).toString('latin1');
      const headers = { ...newNetwork(), 'Content-Encoding': encoding };
      expect(await dashboard.call('/sign-in', { form: bomb, headers })).toMatchObject({ status: 415 });
      const cookie = member.cookie;
      expect(await dashboard.call(`${home}/settings/zone`, { form: bomb, headers, cookie })).toMatchObject({
        status: 415,
      });
    },
  );

  test.each([
    ['a guest', '/sign-in', 4, false],
    ['a guest whose form was kept', '/sign-in?repeat', 4, false],
    ['a member whose form was kept', '/fresh-code?repeat', 32, true],
    ['a member', 'settings/zone', 16, true],
    ['a member who chooses artists', 'destinations/preview', 32, true],
    ['a member who chooses artists for emails', 'settings/mails', 48, true],
    ['a member who pastes lines', 'artists/add', 256, true],
  ])('a form from %s to %s can have at most %s KiB', async (_who, path, kibibytes, isMember) => {
    const headers = newNetwork();
    const send = (bytes: number) =>
      dashboard.call(path.startsWith('/') ? path : `${home}/${path}`, {
        headers,
        form: 'x='.padEnd(bytes, 'a'),
        ...(isMember && { cookie: member.cookie }),
      });
    expect((await send(kibibytes * 1_024)).status).not.toBe(413);
    expect(await send(kibibytes * 1_024 + 1)).toMatchObject({
      status: 413,
      text: expect.stringContaining(`${kibibytes} KiB`),
    });
  });

  test('a form can have at most 1,000 fields', async () => {
    const send = (fields: number) =>
      dashboard.call(`${home}/settings/zone`, { cookie: member.cookie, form: '&'.repeat(fields - 1) });
    expect((await send(1_000)).status).not.toBe(413);
    expect((await send(1_001)).status).toBe(413);
  });

  test('a form is not read before the session is checked', async () => {
    const socket = connect(Number(new URL(dashboard.origin).port), '127.0.0.1');
    socket.write(
      [
        `POST ${home}/artists/add HTTP/1.1`,
        `Host: ${new URL(dashboard.origin).host}`,
        `Cookie: aw-session=${randomBytes(32).toString('base64url')}`,
        `Origin: ${dashboard.origin}`,
        `Content-Type: ${FORM}`,
        'Content-Length: 200000',
        `X-Forwarded-For: ${newNetwork()['X-Forwarded-For']}`,
        '\r\n',
      ].join('\r\n'),
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 303 .*\r\nLocation: \/sign-in\?/s);
  });
});

describe('guests on one network', () => {
  test.each([
    ['missing share links', () => ({ path: `/share/${randomBytes(32).toString('base64url')}` })],
    ['missing feeds', () => ({ path: `/feed.atom?token=feed_${randomBytes(16).toString('hex')}` })],
    [
      'the start page with invented cookies',
      () => ({ path: '/', cookie: `aw-session=${randomBytes(32).toString('base64url')}` }),
    ],
    [
      'an account page with invented cookies',
      () => ({ path: home, cookie: `aw-session=${randomBytes(32).toString('base64url')}` }),
    ],
  ])(
    'after 300 requests in a minute, a guest gets a 429 for %s without a database query, but members are not limited',
    async (_what, next) => {
      const headers = newNetwork();
      const open = () => {
        const { path, ...call } = next() as { path: string; cookie?: string };
        return dashboard.call(path, { ...call, headers });
      };
      expect((await dashboard.call(home, { cookie: member.cookie, headers })).status).toBe(200);
      for (let sent = 0; sent < 300; sent += 1) expect((await open()).status).not.toBe(429);
      statements.take();
      const refused = await open();
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
      expect(statements.take().filter((text) => /session|feed|share/.test(text))).toEqual([]);
      expect((await dashboard.call(home, { cookie: member.cookie, headers })).status).toBe(200);
      expect((await dashboard.call('/sign-in', { headers: newNetwork() })).status).toBe(200);
    },
  );

  test('after 120 forms in 15 minutes, a guest gets a 429 for forms, but can still open pages', async () => {
    const headers = newNetwork();
    const send = () => dashboard.call('/sign-in', { form: { email: 'nobody' }, headers });
    for (let sent = 0; sent < 120; sent += 1) expect((await send()).status).toBe(400);
    expect((await send()).status).toBe(429);
    expect((await dashboard.call('/sign-in', { headers })).status).toBe(200);
  });
});

async function waitingForLocks(application = 'dashboard'): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'`,
    [application],
  );
  return rows[0]?.waiting ?? 0;
}

test('requests with invented cookies use at most two database connections, even from many networks', async () => {
  const replica = await start();
  const blocker = await pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE sessions');
    const answers = Promise.all(
      Array.from({ length: 150 }, () =>
        replica.call('/', { cookie: `aw-session=${randomBytes(32).toString('base64url')}`, headers: newNetwork() }),
      ),
    );
    await until('a look-up', async () => (await waitingForLocks()) > 0);
    expect((await replica.call('/sign-in', { headers: newNetwork() })).status).toBe(200);
    expect(await waitingForLocks()).toBeLessThanOrEqual(2);
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([503]));
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});

test('sign-ins of guests use at most one connection for writes and two for reads, even from many networks', async () => {
  const replica = await start();
  const form = { email: 'ann@label.example', to: '' };
  const cookie = () => `aw-sign-in=sgn_${randomBytes(16).toString('hex')}.${randomBytes(32).toString('base64url')}.`;
  const blocker = await pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE sign_in_requests');
    const answers = Promise.all(
      Array.from({ length: 50 }, () => [
        replica.call('/sign-in', { form, headers: newNetwork() }),
        replica.call('/sign-in/code', { cookie: cookie(), headers: newNetwork() }),
      ]).flat(),
    );
    await until('a sign-in', async () => (await waitingForLocks('dashboard-writes')) > 0);
    await until('a look-up', async () => (await waitingForLocks()) > 0);
    const zone = { form: { zone: 'Europe/Lisbon' }, cookie: member.cookie };
    expect((await replica.call(`${home}/settings/zone`, zone)).status).toBe(303);
    expect(await waitingForLocks('dashboard-writes')).toBeLessThanOrEqual(1);
    expect(await waitingForLocks()).toBeLessThanOrEqual(2);
    await blocker.query('ROLLBACK');
    await answers;
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});

test('the share links of an account use at most two database connections, even from many networks', async () => {
  const artistId = await seedWatchedArtist(pool, accountId);
  const [changeId] = await seedFeed(pool, accountId, artistId, [new Date(Date.now() - 60_000)]);
  const token = randomBytes(32).toString('base64url');
  await pool.query(
    `INSERT INTO change_shares (id, account_id, change_id, token_sha256, created_by, created_at, expires_at)
     VALUES (new_id('shr', now()), $1, $2, $3, 'ann', now(), now() + interval '1 day')`,
    [accountId, changeId, createHash('sha256').update(token).digest()],
  );
  const replica = await start();
  const open = () => replica.call(`/share/${token}`, { headers: newNetwork() });
  expect((await open()).status).toBe(200);
  const blocker = await pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE feed_items');
    const answers = Promise.all(Array.from({ length: 50 }, open));
    await until('a read', async () => (await waitingForLocks()) > 0);
    expect((await replica.call('/', { cookie: member.cookie, headers: newNetwork() })).status).toBe(303);
    expect(await waitingForLocks()).toBeLessThanOrEqual(2);
    await blocker.query('ROLLBACK');
    expect((await answers).filter(({ status }) => status === 200).length).toBeGreaterThan(2);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});

test('all reads of a feed count toward the hourly limit of the plan, from whichever network', async () => {
  const created = await dashboard.call(`${home}/feeds`, { cookie: member.cookie });
  const draft = /name="draft" value="([^"]+)"/.exec(created.text)?.[1] ?? '';
  const { text } = await dashboard.call(`${home}/feeds/create`, {
    cookie: member.cookie,
    form: { name: 'Newsroom', draft },
  });
  const feed = /\/feed\.atom\?token=\w+/.exec(text)?.[0] ?? '';
  for (let read = 0; read < 60; read += 1) {
    expect((await dashboard.call(feed, { headers: newNetwork() })).status).toBe(200);
  }
  expect(await dashboard.call(feed, { headers: newNetwork() })).toMatchObject({
    status: 429,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  });
});

import { gzipSync } from 'node:zlib';
import { seedAccount } from '@artist-watch/harness/api-fixtures';
import {
  type DashboardUnderTest,
  type SeededMember,
  seedMember,
  seedSession,
  startDashboard,
} from '@artist-watch/harness/dashboard-fixtures';
import { type Relay, startRelay } from '@artist-watch/harness/relay';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { compose } from './compose.js';
import { readConfig } from './config.js';

let suite: Suite;
let dashboard: DashboardUnderTest;
let member: SeededMember;
let settings: string;
beforeAll(async () => {
  suite = await useSuite();
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));
  const { accountId } = await seedAccount(suite.pool);
  member = await seedMember(suite.pool, accountId);
  settings = `/a/${accountId}/settings`;
});

describe('access', () => {
  test('a member can open a page of the account, and its content security policy forbids inline code and other hosts', async () => {
    const answer = await dashboard.call(settings, { cookie: member.cookie });
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-store' } });
    expect(answer.text).toContain(member.email);
    const policy = answer.headers['content-security-policy'] as string;
    expect(policy).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    );
    expect(answer.text).not.toMatch(/<style|<script(?! src="\/assets\/)|\son[a-z]+=|\sstyle=/);
  });

  test('without a session, a page redirects to the sign-in form, which leads back to the page', async () => {
    for (const cookie of ['', 'aw-session=made-up', `${member.cookie}; ${member.cookie}`]) {
      const answer = await dashboard.call(settings, { cookie });
      expect(answer).toMatchObject({
        status: 303,
        headers: { location: `/sign-in?to=${encodeURIComponent(settings)}` },
      });
    }
  });

  test('a form sent after the session ended changes nothing, and the sign-in page says so and leads back to the form', async () => {
    for (const action of ['/zone', '/sessions/end']) {
      const { status, headers } = await dashboard.call(`${settings}${action}`, {
        cookie: 'aw-session=ended',
        form: {},
      });
      const { location = '' } = headers;
      expect([status, location]).toEqual([303, expect.stringMatching(/^\/sign-in\?/)]);
      const { text } = await dashboard.call(location);
      expect(text).toContain('nothing was changed');
      expect(text).toContain(`name="to" value="${settings}"`);
    }
    const read = await dashboard.call(settings);
    expect((await dashboard.call(read.headers.location as string)).text).not.toContain('nothing was changed');
  });

  test('a page of another account returns the same 404 as a page of a nonexistent account', async () => {
    const other = await seedAccount(suite.pool);
    const [foreign, missing, unknown] = await Promise.all(
      [`/a/${other.accountId}/settings`, '/a/acc_none/settings', `${settings}/none`].map((path) =>
        dashboard.call(path, { cookie: member.cookie }),
      ),
    );
    expect(foreign).toMatchObject({ status: 404 });
    expect(missing?.text).toBe(foreign?.text);
    expect(unknown?.text).toBe(foreign?.text);
  });

  test('a removed member loses access on the next request', async () => {
    const gone = await seedMember(suite.pool, member.accountId);
    await suite.pool.query('DELETE FROM members WHERE id = $1', [gone.memberId]);
    expect(await dashboard.call(settings, { cookie: gone.cookie })).toMatchObject({ status: 404 });
  });

  test('a session ends after 14 days without use, and always after 90 days', async () => {
    const day = 86_400_000;
    const old = await seedSession(suite.pool, member.email, { now: new Date(Date.now() - 89 * day) });
    expect(await dashboard.call(settings, { cookie: old })).toMatchObject({ status: 303 });
    await suite.pool.query('UPDATE sessions SET last_seen_at = now()');
    expect(await dashboard.call(settings, { cookie: old })).toMatchObject({ status: 200 });
    const older = await seedSession(suite.pool, member.email, { now: new Date(Date.now() - 91 * day) });
    await suite.pool.query('UPDATE sessions SET last_seen_at = now()');
    expect(await dashboard.call(settings, { cookie: older })).toMatchObject({ status: 303 });
  });
});

describe('requests from other sites', () => {
  const form = { session: 'ses_none' };

  test.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a different host on the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['outside any page', { 'Sec-Fetch-Site': 'none' }],
    ['another origin', { 'Sec-Fetch-Site': '', Origin: 'https://attacker.example' }],
  ])('a form posted from %s changes nothing', async (_name, headers) => {
    const answer = await dashboard.call(`${settings}/sessions/end`, { cookie: member.cookie, form, headers });
    expect(answer).toMatchObject({ status: 403 });
  });

  test('the Origin header is checked if the browser sends no Fetch Metadata', async () => {
    const headers = { Origin: dashboard.origin };
    const path = `${settings}/sessions/end`;
    const body = { cookie: member.cookie, method: 'POST' };
    expect(await dashboard.call(path, { ...body, headers })).toMatchObject({ status: 303 });
    expect(await dashboard.call(path, body)).toMatchObject({ status: 403 });
  });

  test("a request with a forged Host is rejected, and the response contains the dashboard's URL", async () => {
    const answer = await dashboard.call(settings, { cookie: member.cookie, headers: { Host: 'attacker.example' } });
    expect(answer).toMatchObject({ status: 421, text: `The dashboard is at ${dashboard.origin}.\n` });
  });
});

test.each([
  ['killed', (relay: Relay) => relay.cut()],
  ['frozen', (relay: Relay) => relay.freeze()],
])(
  'while PostgreSQL is %s, the dashboard stays ready and shows an error page, and then it recovers',
  async (_, breakRelay) => {
    const relay = await startRelay(suite.databaseUrl);
    suite.onEnd(() => relay.close());
    const replica = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal), {
      DATABASE_URL: relay.url,
    });
    const open = () => replica.call(settings, { cookie: member.cookie });
    const operations = (path: string) => fetch(`${replica.opsUrl}${path}`, { headers: { Connection: 'close' } });
    expect(await open()).toMatchObject({ status: 200 });

    breakRelay(relay);
    expect(await open()).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/), 'content-type': expect.stringContaining('text/html') },
    });
    // The dashboard must stay ready, because otherwise members would see the ingress controller's error page.
    for (const path of ['/readyz', '/livez']) expect([path, (await operations(path)).status]).toEqual([path, 200]);
    expect(await (await operations('/metrics')).text()).toContain(
      'artist_watch_database_up{pool="reads",service="dashboard"} 0',
    );

    relay.restore();
    await until('the page', async () => (await open()).status === 200);
    await replica.stop();
  },
);

test('the frame of a page is sent before its data is read, and a later error appears inside the frame', async () => {
  const address = `${dashboard.origin}/a/${member.accountId}/changes`;
  const headers = { Cookie: member.cookie };
  const locking = await suite.pool.connect();
  await locking.query('BEGIN');
  await locking.query('LOCK TABLE feed_items');
  const answer = await fetch(address, { headers });
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const nextPart = async () => Buffer.from((await reader.read()).value ?? '').toString();
  expect(answer).toMatchObject({ status: 200 });
  expect(await nextPart()).toMatch(/^<!doctype html>.*<title>Changes .*<main[^>]*>$/s);
  expect(await nextPart()).toMatch(/^.*Too many requests.*<\/html>$/s);
  const metrics = await fetch(`${dashboard.opsUrl}/metrics`, { headers: { Connection: 'close' } });
  expect(await metrics.text()).toMatch(
    /^artist_watch_dashboard_request_seconds_count\{(?=.*\/changes").*status="503".*\} 1$/m,
  );
  await locking.query('ROLLBACK');
  locking.release();
  expect((await dashboard.call(`/a/${member.accountId}/changes`, { cookie: member.cookie })).text).toMatch(
    /^<!doctype html>.*No changes yet.*<\/html>$/s,
  );
  const head = await fetch(address, { method: 'HEAD', headers });
  expect([head.status, head.headers.has('content-length'), await head.text()]).toEqual([200, true, '']);
});

test('the message about a sent form is shown only on the next page', async () => {
  const cookie = await seedSession(suite.pool, member.email);
  const posted = await dashboard.call(`${settings}/sessions/end`, { cookie, form: { session: 'ses_none' } });
  expect(posted).toMatchObject({ status: 303, headers: { location: settings } });
  const [notice = ''] = posted.headers['set-cookie'] ?? [];
  const shown = await dashboard.call(settings, { cookie: `${cookie}; ${notice.split(';')[0]}` });
  expect(shown.text).toContain('That browser was already signed out.');
  expect(shown.headers['set-cookie']).toEqual([expect.stringContaining('Max-Age=0')]);
});

test('styles and scripts are small and can be cached forever, because their URLs change with their content', async () => {
  const page = await dashboard.call(settings, { cookie: member.cookie });
  const addresses = new Set(page.text.match(/\/assets\/[\w.-]+/g));
  expect(addresses.size).toBe(5);
  const bytes = { css: 0, js: 0, svg: 0 };
  for (const address of addresses) {
    const answer = await dashboard.call(address);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, max-age=31536000, immutable' },
    });
    bytes[address.split('.').at(-1) as keyof typeof bytes] += gzipSync(answer.text).length;
  }
  expect(bytes.css).toBeLessThanOrEqual(12_000);
  expect(bytes.js).toBeLessThanOrEqual(30_000);
});

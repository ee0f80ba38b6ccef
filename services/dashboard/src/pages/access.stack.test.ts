import { seedAccount } from '@artist-watch/harness/api-fixtures';
import {
  type DashboardUnderTest,
  seedMember,
  seedSession,
  startDashboard,
} from '@artist-watch/harness/dashboard-fixtures';
import { seedNamedAccount } from '@artist-watch/harness/named-account';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { beforeAll, expect, test } from '@jest/globals';
import { compose } from '../compose.js';
import { readConfig } from '../config.js';
import { allGuestPages, allPages } from './all.js';
import type { PageParts } from './parts.js';

const table = allPages({} as PageParts).map(({ method, path, role, needsFreshCode }) => ({
  ...{ name: `${method} ${path}`, method, path, role, needsFreshCode },
}));

let suite: Suite;
let dashboard: DashboardUnderTest;
beforeAll(async () => {
  suite = await useSuite();
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));
});

test('every page and action rejects guests, removed members, members of other accounts and members with a lower role', async () => {
  const { accountId } = await seedAccount(suite.pool);
  const other = await seedAccount(suite.pool);
  const owner = await seedMember(suite.pool, accountId);
  const member = await seedMember(suite.pool, accountId, { role: 'member' });
  const stranger = await seedMember(suite.pool, other.accountId);
  const removed = await seedMember(suite.pool, accountId);
  await suite.pool.query('DELETE FROM members WHERE id = $1', [removed.memberId]);
  const stale = await seedSession(suite.pool, owner.email, { fresh: false });
  const missing = await dashboard.call('/a/acc_none/none', { cookie: owner.cookie });
  expect(missing.status).toBe(404);

  for (const { name, method, path, role, needsFreshCode } of table) {
    const call = (cookie: string) =>
      dashboard.call(`/a/${accountId}${path.replaceAll(/:\w+/g, 'x')}`, {
        cookie,
        ...(method === 'POST' && { form: {} }),
      });
    const signedOut = await call('');
    expect([name, signedOut.status, signedOut.headers.location]).toEqual([
      name,
      303,
      expect.stringMatching(/^\/sign-in\?to=/),
    ]);
    for (const { cookie } of [stranger, removed, ...(role === 'owner' ? [member] : [])]) {
      const { status, text } = await call(cookie);
      expect([name, status, text]).toEqual([name, 404, missing.text]);
    }
    if (needsFreshCode) {
      const { status, headers } = await call(stale);
      expect([name, status, headers.location]).toEqual([name, 303, expect.stringContaining('/fresh-code?to=')]);
    }
  }
});

test('every page and action treats the ids of another account as nonexistent', async () => {
  const [own, other] = [await seedNamedAccount(suite.pool, 'Own'), await seedNamedAccount(suite.pool, 'Other')];
  const missing = await dashboard.call('/a/acc_none/none', { cookie: own.cookie });
  const before = await rowsOf(other.accountId);
  const named = table.filter(({ path }) => path.includes(':'));
  expect(named.length).toBeGreaterThan(20);
  for (const { name, method, path } of named) {
    const form = { name: 'Other', url: 'https://receiver.example/', draft: 'x', role: 'member', expected: '1' };
    const { status, text } = await dashboard.call(`/a/${own.accountId}${other.fill(path)}`, {
      cookie: own.cookie,
      ...(method === 'POST' && { form }),
    });
    expect([name, status, text]).toEqual([name, 404, missing.text]);
  }
  expect(await rowsOf(other.accountId)).toEqual(before);
});

test('no GET request changes the database, except for the times at which sessions and feeds were last used', async () => {
  const { accountId, cookie, fill, open } = await seedNamedAccount(suite.pool, 'Nina Vale');
  const guests = allGuestPages({} as PageParts).flatMap(({ method, path }) =>
    method === 'GET' ? [path.replaceAll(/:\w+/g, 'x')] : [],
  );
  const members = table.flatMap(({ method, path }) => (method === 'GET' ? [`/a/${accountId}${fill(path)}`] : []));
  const before = await rowsOf();
  for (const path of [...guests, ...members, ...Object.values(open)]) {
    const { status } = await dashboard.call(path, { cookie });
    expect([path, status < 500]).toEqual([path, true]);
    // Link checkers also send HEAD requests.
    await dashboard.call(path, { cookie, method: 'HEAD' });
  }
  expect(await rowsOf()).toEqual(before);
});

/** Matches emails from background loops. Requests create only sign-in and invitation emails. */
const BACKGROUND_EMAIL = /"kind": "(?:critical_\w+|key_expires|new_key|digest|destination_\w+)"/;

/** Returns all rows as text, by table. Omits last-used times, and emails from background loops. */
async function rowsOf(containing = ''): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await suite.pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    if (name === 'mailed_changes') continue;
    const { rows } = await suite.pool.query<{ text: string }>(
      `SELECT (to_jsonb(t) - 'last_seen_at' - 'last_used_at')::text AS text FROM ${name} t ORDER BY 1`,
    );
    found[name] = rows
      .map(({ text }) => text)
      .filter((text) => text.includes(containing) && !BACKGROUND_EMAIL.test(text));
  }
  return found;
}

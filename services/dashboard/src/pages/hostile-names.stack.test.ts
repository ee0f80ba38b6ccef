import { type DashboardAnswer, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { type NamedAccount, seedNamedAccount } from '@artist-watch/harness/named-account';
import { useSuite } from '@artist-watch/harness/suite';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { compose } from '../compose.js';
import { readConfig } from '../config.js';
import { elementsOf } from '../testing/gallery.js';
import { allPages } from './all.js';
import type { PageParts } from './parts.js';

const suite = await useSuite();
// Delay emails, because otherwise they could show up on one account's page before the other's.
const dashboard = await startDashboard(suite, (env, signal) =>
  compose(readConfig({ ...env, MAIL_GROUP_WAIT: '1h' }), signal),
);

/** Searches for the name, because some pages repeat the search term in their text. */
const queryOf = (path: string, name: string) =>
  ['/search', '/changes', '/artists'].includes(path) ? `?q=${encodeURIComponent(name.slice(0, 20))}` : '';

const table = allPages({} as PageParts);
const PATHS = table.flatMap(({ method, path }) => (method === 'GET' ? [path] : []));
const ENDS = /\/(?:delete|remove|revoke|stop|end-all)$/;
/** Sorted so that actions that end the session or delete objects come last. */
const ACTIONS = table
  .flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
  .sort((one, other) => Number(ENDS.test(one)) - Number(ENDS.test(other)));

const FILTERS = ['artist', 'type', 'severity', 'from', 'to', 'after', 'before', 'destination', 'state', 'change', 'to'];
/** Fields that a person can fill in, which excludes hidden fields such as `draft`. */
const TYPED = [
  'name',
  'email',
  'url',
  'q',
  'artists',
  'lookup',
  'reverse',
  'zone',
  'digest',
  'code',
  'since',
  'secret',
];

describe.each([
  '<script>alert(1)</script>',
  '"onload="alert(1)',
  '\u202egnp.exe',
  '{"__html":"<b>x</b>"}',
  '=HYPERLINK("https://attacker.example")',
])('the name %j', (name) => {
  let plain: NamedAccount;
  let hostile: NamedAccount;
  beforeAll(async () => {
    [plain, hostile] = [await seedNamedAccount(suite.pool, 'Nina Vale'), await seedNamedAccount(suite.pool, name)];
  });

  const read = ({ accountId, cookie, fill }: NamedAccount, path: string) =>
    dashboard.call(`/a/${accountId}${fill(path)}`, { cookie });

  function expectTheSame(path: string, one: DashboardAnswer, other: DashboardAnswer): void {
    expect([path, other.status]).toEqual([path, one.status]);
    if (/html/.test(String(one.headers['content-type']))) {
      expect(elementsOf(other.text)).toEqual(elementsOf(one.text));
      expect(other.text).not.toContain('\u202e');
    } else {
      // The CSV file contains the name as it is, but in a cell that spreadsheets won't interpret as a formula.
      for (const cell of other.text.split(/,|\r\n/)) expect(cell).not.toMatch(/^"?[=+@-]\D/);
    }
  }

  test.each(PATHS)('the page %s has the same elements as with a plain name', async (path) => {
    const asked = [read(plain, path + queryOf(path, 'Nina Vale')), read(hostile, path + queryOf(path, name))] as const;
    expectTheSame(path, ...(await Promise.all(asked)));
  });

  test('shared pages and feeds have the same elements as with a plain name', async () => {
    for (const kind of ['share', 'feed'] as const) {
      const [one, other] = await Promise.all([dashboard.call(plain.open[kind]), dashboard.call(hostile.open[kind])]);
      expect(one.status).toBe(200);
      expectTheSame(kind, one, other);
    }
    const { text } = await dashboard.call(hostile.open.feed);
    expect(text).not.toMatch(/<(?:script|b)>|"onload=/);
  });

  test.each(ACTIONS)('POST %s and the next page have the same elements as with a plain name', async (path) => {
    const act = async (account: NamedAccount, typed: string) => {
      const { accountId, cookie, fill } = account;
      const form = Object.fromEntries(TYPED.map((field) => [field, typed]));
      const answer = await dashboard.call(`/a/${accountId}${fill(path)}`, { cookie, form });
      if (answer.status !== 303) return answer;
      const notice = (answer.headers['set-cookie'] ?? []).find((set) => set.startsWith('aw-notice')) ?? '';
      return dashboard.call(answer.headers.location as string, { cookie: `${cookie}; ${notice.split(';')[0]}` });
    };
    expectTheSame(path, ...(await Promise.all([act(plain, 'Nina Vale'), act(hostile, name)])));
  });
});

test('a NUL character, which PostgreSQL cannot store, does not break any page or action', async () => {
  const { accountId, cookie, fill } = await seedNamedAccount(suite.pool, 'Nina Vale');
  const query = new URLSearchParams([...TYPED, ...FILTERS].map((field) => [field, 'a\0b']));
  const fields = [...new Set([...TYPED, ...FILTERS, 'session'])];
  // In the second value, removing `%00` produces another `%00`.
  const forms = ['a%00b', 'a%0%000b'].map((value) => fields.map((field) => `${field}=${value}`).join('&'));
  for (const path of PATHS) {
    for (const filled of [fill(path), path.replaceAll(/:\w+/g, 'a%00b')]) {
      const { status, text } = await dashboard.call(`/a/${accountId}${filled}?${query}`, { cookie });
      expect([path, status < 500, text.includes('Something went wrong')]).toEqual([path, true, false]);
    }
  }
  for (const path of ACTIONS) {
    for (const filled of [path.replaceAll(/:\w+/g, 'a%00b'), fill(path)]) {
      for (const form of forms) {
        const { status } = await dashboard.call(`/a/${accountId}${filled}`, { cookie, form });
        expect([path, form, status < 500]).toEqual([path, form, true]);
      }
    }
  }
});

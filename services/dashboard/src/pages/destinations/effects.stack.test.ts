import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, seedSession, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));

const { accountId, destinationId } = await seedDestination(pool);
const artistId = await seedWatchedArtist(pool, accountId);
const [changeId] = await seedFeed(pool, accountId, artistId, [new Date()]);
const member = await seedMember(pool, accountId, { role: 'member' });
const owners = [await seedMember(pool, accountId), await seedMember(pool, accountId)];
const old = await seedSession(pool, member.email, { fresh: false });
const home = `/a/${accountId}`;
const destination = `/destinations/${destinationId}`;

const draftIn = (html: string) => /name="draft" value="([^"]+)"/.exec(html)?.[1] ?? '';
async function state() {
  const { rows } = await pool.query(
    `SELECT (SELECT json_agg(d ORDER BY id) FROM destinations d) AS destinations, (SELECT count(*) FROM feed_tokens) AS feeds,
            (SELECT count(*) FROM change_shares) AS shares, (SELECT count(*) FROM audit_events) AS audit`,
  );
  return rows[0];
}
async function mails(action: string) {
  const { rows } = await pool.query(
    `SELECT recipient, data FROM mails WHERE account_id = $1 AND kind = 'account_action' AND data ->> 'action' = $2
      ORDER BY id`,
    [accountId, action],
  );
  return rows;
}

const url = 'https://elsewhere.example/hook';
test.each([
  ['change the URL of a destination', `${destination}/edit`, `${destination}/edit`, { url }, 'destination.changed'],
  ['create a destination', '/destinations/new', '/destinations/new', { kind: 'webhook', url }, 'destination.created'],
  ['share a change', `/changes/${changeId}`, `/changes/${changeId}/share`, {}, 'change.shared'],
  ['create a feed', '/feeds', '/feeds/create', { name: 'Newsroom' }, 'feed.created'],
])('a member needs a fresh code to %s, and every owner gets an email', async (_what, page, path, fields, action) => {
  const form = { ...fields, draft: draftIn((await dashboard.call(`${home}${page}`, { cookie: member.cookie })).text) };
  const before = await state();
  const refused = await dashboard.call(`${home}${path}`, { cookie: old, form });
  expect([refused.status, refused.headers.location]).toEqual([307, expect.stringMatching(/^\/fresh-code\?/)]);
  expect(await state()).toEqual(before);
  expect(await mails(action)).toEqual([]);

  expect((await dashboard.call(`${home}${path}`, { cookie: member.cookie, form })).status).toBeLessThan(400);
  expect(await state()).not.toEqual(before);
  expect((await mails(action)).map(({ recipient }) => recipient).sort()).toEqual(
    owners.map(({ email }) => email).sort(),
  );
  const changed = action === 'destination.changed' ? 'address' : null;
  expect((await mails(action))[0].data).toMatchObject({ actorKind: 'member', actor: member.email, changed });
});

test('a change to the name or rules of a destination requires no code and sends no email', async () => {
  const before = await mails('destination.changed');
  const form = { name: 'Desk', min_severity: 'critical' };
  expect((await dashboard.call(`${home}${destination}/edit`, { cookie: old, form })).headers.location).toBe(
    `${home}${destination}`,
  );
  expect(await mails('destination.changed')).toEqual(before);
});

test('the page offers to create a new secret after the URL of a signed destination has changed', async () => {
  const { accountId: other } = await seedAccount(pool);
  const owner = await seedMember(pool, other);
  const call = (path: string, form?: Record<string, string>) =>
    dashboard.call(`/a/${other}${path}`, { cookie: owner.cookie, ...(form && { form }) });
  const draft = draftIn((await call('/destinations/new')).text);
  await call('/destinations/new', { draft, kind: 'webhook', url, secret: 'generate' });
  const [path = ''] = /\/destinations\/dst_\w+/.exec((await call('/destinations')).text) ?? [];
  const changed = await call(`${path}/edit`, { url: 'https://new.example/hook' });
  const notice = (changed.headers['set-cookie']?.[0] ?? '').split(';')[0] as string;
  const shown = await dashboard.call(`/a/${other}${path}`, { cookie: `${owner.cookie}; ${notice}` });
  expect(shown.text).toContain('The old receiver still knows the signing secret. Create a new one below.');
  expect(shown.text).toContain('/rotate');
});

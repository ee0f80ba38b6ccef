import type { ArtistId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));

async function seed() {
  const { accountId } = await seedAccount(pool);
  const { cookie, memberId } = await seedMember(pool, accountId);
  const get = async (path: string) => (await dashboard.call(`/a/${accountId}${path}`, { cookie })).text;
  const post = (path: string, form: Record<string, string> | URLSearchParams = {}) =>
    dashboard.call(`/a/${accountId}${path}`, { cookie, form });
  const create = async (name: string) => {
    expect((await post('/groups', { name, color: 'teal' })).status).toBe(303);
    const { rows } = await pool.query('SELECT id FROM artist_groups WHERE account_id = $1 AND name = $2', [
      accountId,
      name,
    ]);
    return String(rows[0].id);
  };
  const group = (id: string, artists: readonly ArtistId[], change = 'add') => {
    const chosen = artists.map((artist): [string, string] => ['artist', artist]);
    return post('/artists/group', new URLSearchParams([...chosen, ['to', id], ['change', change]]));
  };
  return { accountId, memberId, get, post, create, group };
}

test('a group can be created, renamed and deleted, and an invalid name is rejected with a message', async () => {
  const { get, post, create } = await seed();
  expect(await get('/groups')).toContain('No groups yet');
  const id = await create('Frontline');
  const twice = await post('/groups', { name: 'FRONTLINE', color: 'red' });
  expect([twice.status, twice.text]).toEqual([409, expect.stringContaining('You already have a group')]);
  expect((await post('/groups', { name: ' ', color: 'red' })).status).toBe(400);
  expect((await post('/groups', { name: 'Nordic', color: 'plaid' })).status).toBe(400);
  expect((await post(`/groups/${id}`, { name: 'Nordic', color: 'red' })).status).toBe(303);
  expect(await get('/groups')).toContain('<span class="tag red" dir="auto">Nordic</span>');
  const stranger = await seed();
  expect(await stranger.get(`/groups/${id}`)).not.toContain('Nordic');
  expect((await stranger.post(`/groups/${id}`, { name: 'x', color: 'red' })).status).toBe(404);
  expect((await stranger.post(`/groups/${id}/delete`)).status).toBe(404);
  expect((await post(`/groups/${id}/delete`)).status).toBe(303);
  expect(await get('/groups')).toContain('No groups yet');
});

test('several artists can join or leave a group together, and lists and the CSV file can be filtered by group', async () => {
  const { accountId, get, create, group } = await seed();
  const [first, second] = [
    await seedWatchedArtist(pool, accountId, { name: 'Nina Vale' }),
    await seedWatchedArtist(pool, accountId, { name: 'Ola Bell' }),
  ];
  await seedFeed(pool, accountId, first, [new Date(Date.now() - 60_000)]);
  const [other] = await seedFeed(pool, accountId, second, [new Date(Date.now() - 60_000)]);
  const id = await create('Frontline');
  expect((await group(id, [first])).status).toBe(303);
  expect(await get('/artists')).toContain('<span class="tag teal" dir="auto">Frontline</span>');
  expect(await get(`/artists?group=${id}`)).not.toContain('Ola Bell');
  expect(await get(`/artists?group=${id}`)).toContain('Nina Vale');
  const changes = await get(`/changes?group=${id}`);
  expect(changes).toContain('/changes/chg_');
  expect(changes).not.toContain(String(other));
  expect(await get(`/changes/export?group=${id}`)).not.toContain(String(other));
  await group(id, [first], 'remove');
  expect(await get(`/artists?group=${id}`)).toContain('No artists match');
});

test('a group can be chosen for a channel, for emails and for a feed', async () => {
  const { accountId, memberId, get, post, create, group } = await seed();
  const first = await seedWatchedArtist(pool, accountId);
  const second = await seedWatchedArtist(pool, accountId);
  const id = await create('Frontline');
  await group(id, [first]);
  for (const page of ['/destinations/new', '/settings']) expect(await get(page)).toContain(`value="${id}"`);
  const draft = /name="draft" value="([^"]+)"/.exec(await get('/destinations/new'))?.[1] ?? '';
  const channel = { draft, kind: 'webhook', url: 'https://hooks.example/in', secret: 'none', group_ids: id };
  const { headers } = await post('/destinations/new', channel);
  expect(await get(String(headers.location).slice(`/a/${accountId}`.length))).toContain('1 group');
  const refused = await post(`/groups/${id}/delete`);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('use this group')]);

  const mails = { mails: 'critical', digest: 'daily', mail_min_severity: '', digest_min_severity: '' };
  await post('/settings/mails', { ...mails, mail_group_ids: id, digest_group_ids: id });
  const { rows } = await pool.query(
    'SELECT mail_group_ids AS mail, digest_group_ids AS digest FROM members WHERE id = $1',
    [memberId],
  );
  expect(rows).toEqual([{ mail: [id], digest: [id] }]);

  const [wanted] = await seedFeed(pool, accountId, first, [new Date(Date.now() - 60_000)]);
  const [other] = await seedFeed(pool, accountId, second, [new Date(Date.now() - 60_000)]);
  const feedDraft = /name="draft" value="([^"]+)"/.exec(await get('/feeds'))?.[1] ?? '';
  const created = await post('/feeds/create', { draft: feedDraft, name: 'Reader', group: id });
  const [, path = ''] = /(\/feed\.atom\?token=[^<"]+)/.exec(created.text) ?? [];
  const { text } = await dashboard.call(path.replaceAll('&amp;', '&'));
  expect(text).toContain(String(wanted));
  expect(text).not.toContain(String(other));
});

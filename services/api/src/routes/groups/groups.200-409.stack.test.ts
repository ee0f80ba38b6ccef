import { randomBytes } from 'node:crypto';
import { MAX_GROUPS } from '@artist-watch/contracts/api/artist';
import type { ArtistId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

async function seed() {
  const account = await seedAccount(pool);
  const call = (method: string, path: string, body?: object) => api.call(`/v1${path}`, { ...account, method, body });
  const create = async (name: string) => (await call('POST', '/groups', { name, color: 'blue' })).body;
  const artists: ArtistId[] = [];
  for (let count = 0; count < 2; count += 1) artists.push(await seedWatchedArtist(pool, account.accountId));
  const [first, second] = artists as [ArtistId, ArtistId];
  return { ...account, call, create, first, second };
}

const idsOf = (answer: { body: { data: readonly { id: string }[] } }) => answer.body.data.map(({ id }) => id);

test('creating, renaming and deleting a group are each audited', async () => {
  const { accountId, call, create, first } = await seed();
  const group = await create('Frontline');
  expect(group).toMatchObject({ name: 'Frontline', color: 'blue', artists: 0 });
  await create('catalogue');
  expect((await call('GET', '/groups')).body.data.map(({ name }: { name: string }) => name)).toEqual([
    'catalogue',
    'Frontline',
  ]);
  const changed = await call('PATCH', `/groups/${group.id}`, { name: 'Nordic', color: 'red', add_artist_ids: [first] });
  expect(changed).toMatchObject({ status: 200, body: { id: group.id, name: 'Nordic', color: 'red', artists: 1 } });
  // Repeating the request changes nothing.
  expect((await call('PATCH', `/groups/${group.id}`, { add_artist_ids: [first] })).body).toEqual(changed.body);
  expect((await call('DELETE', `/groups/${group.id}`)).status).toBe(204);
  expect((await call('DELETE', `/groups/${group.id}`)).status).toBe(404);
  expect((await call('GET', '/artists')).body.data).toMatchObject([{ group_ids: [] }, { group_ids: [] }]);
  const { rows } = await pool.query(
    `SELECT action, subject_name AS name, details FROM audit_events WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  expect(rows).toEqual([
    { action: 'group.created', name: 'Frontline', details: {} },
    { action: 'group.created', name: 'catalogue', details: {} },
    { action: 'group.changed', name: 'Nordic', details: { added: 1 } },
    { action: 'group.deleted', name: 'Nordic', details: {} },
  ]);
});

test('group names are unique regardless of case, and an account has at most 50 groups', async () => {
  const { call, create } = await seed();
  const group = await create('Frontline');
  const other = await create('Other');
  expect((await call('POST', '/groups', { name: 'frontLINE' })).status).toBe(409);
  expect((await call('PATCH', `/groups/${other.id}`, { name: 'FRONTLINE' })).status).toBe(409);
  expect((await call('PATCH', `/groups/${group.id}`, { name: 'FRONTLINE' })).status).toBe(200);
  expect((await (await seed()).call('POST', '/groups', { name: 'Frontline' })).status).toBe(201);
  for (const name of ['', ' x', 'a\nb', 'x'.repeat(51)]) {
    expect((await call('POST', '/groups', { name })).status).toBe(400);
  }
  expect((await call('POST', '/groups', { name: 'x', color: '#ff0000' })).status).toBe(400);
  for (let count = 2; count < MAX_GROUPS; count += 1) await create(`Group ${count}`);
  expect((await call('POST', '/groups', { name: 'One more' })).status).toBe(409);
});

test('other accounts cannot see, change or delete a group, and their artists cannot be added to it', async () => {
  const { call, create, first } = await seed();
  const group = await create('Frontline');
  const stranger = await seed();
  expect(idsOf(await stranger.call('GET', '/groups'))).toEqual([]);
  expect((await stranger.call('PATCH', `/groups/${group.id}`, { name: 'x' })).status).toBe(404);
  expect((await stranger.call('DELETE', `/groups/${group.id}`)).status).toBe(404);
  await call('PATCH', `/groups/${group.id}`, { add_artist_ids: [first] });
  expect(idsOf(await stranger.call('GET', `/artists?group_id=${group.id}`))).toEqual([]);
  const added = await call('PATCH', `/groups/${group.id}`, { add_artist_ids: [stranger.first] });
  expect(added.body.artists).toBe(1);
});

test('a key with the `read` scope can list groups, but not change them', async () => {
  const { accountId, call } = await seed();
  await pool.query(`UPDATE api_keys SET scopes = '{read}' WHERE account_id = $1`, [accountId]);
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO artist_groups (id, account_id, name, color, created_at)
     VALUES (new_id('grp', now()), $1, 'Frontline', 'blue', now()) RETURNING id`,
    [accountId],
  );
  const [group] = rows as [{ id: string }];
  expect(idsOf(await call('GET', '/groups'))).toEqual([group.id]);
  expect((await call('POST', '/groups', { name: 'x' })).body.error.code).toBe('insufficient_scope');
  expect((await call('PATCH', `/groups/${group.id}`, { name: 'x' })).status).toBe(403);
  expect((await call('DELETE', `/groups/${group.id}`)).status).toBe(403);
});

test('artists, changes, counts, exports and feeds can be filtered by group', async () => {
  const { accountId, call, create, first, second, key } = await seed();
  const group = await create('Frontline');
  await call('PATCH', `/groups/${group.id}`, { add_artist_ids: [first] });
  const [wanted] = await seedFeed(pool, accountId, first, [new Date(Date.now() - 60_000)]);
  const [other] = await seedFeed(pool, accountId, second, [new Date(Date.now() - 30_000)]);
  const filter = `group_id=${group.id}`;
  expect((await call('GET', '/artists')).body.data).toMatchObject([{ group_ids: [group.id] }, { group_ids: [] }]);
  expect(idsOf(await call('GET', `/artists?${filter}`))).toEqual([first]);
  expect((await call('GET', `/artists/${first}`)).body.group_ids).toEqual([group.id]);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  expect(idsOf(await call('GET', `/changes?${filter}&since=${since}`))).toEqual([wanted]);
  expect(idsOf(await call('GET', `/changes?artist_id=${second}&${filter}`))).toEqual([]);
  const counts = (await call('GET', `/changes/counts?${filter}&since=${since}`)).body.data;
  expect(counts.reduce((sum: number, day: { critical: number }) => sum + day.critical, 0)).toBe(1);
  for (const path of [`/changes/export?format=csv&${filter}`, `/changes/feed.atom?${filter}`]) {
    const { text } = await api.call(`/v1${path}`, { key });
    expect(text).toContain(String(wanted));
    expect(text).not.toContain(String(other));
  }
  await call('PATCH', `/groups/${group.id}`, { remove_artist_ids: [first] });
  expect(idsOf(await call('GET', `/artists?${filter}`))).toEqual([]);
  expect(idsOf(await call('GET', `/changes?${filter}`))).toEqual([]);
});

test('a group that is used in the rules of a destination cannot be deleted', async () => {
  const { call, create, second } = await seed();
  const group = await create('Frontline');
  const rules = { group_ids: [group.id], artist_ids: [second] };
  const destination = await call('POST', '/destinations', { name: 'Desk', url: 'https://hooks.example/in', rules });
  expect(destination.body.rules).toMatchObject(rules);
  const refused = await call('DELETE', `/groups/${group.id}`);
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    'The rules of “Desk” use this group. Change them first.',
  ]);
  await call('PATCH', `/destinations/${destination.body.id}`, { rules: { group_ids: [] } });
  expect((await call('DELETE', `/groups/${group.id}`)).status).toBe(204);
});

test('deleting a group removes it from the email rules of members', async () => {
  const { accountId, call, create } = await seed();
  const [group, kept] = [await create('Frontline'), await create('Kept')];
  await pool.query(
    `INSERT INTO members (id, account_id, email, role, created_at, mail_group_ids, digest_group_ids)
     VALUES (new_id('mem', now()), $1, $2, 'owner', now(), $3, $4)`,
    [accountId, `${randomBytes(8).toString('hex')}@label.example`, [group.id], [kept.id, group.id]],
  );
  await call('DELETE', `/groups/${group.id}`);
  const { rows } = await pool.query('SELECT mail_group_ids, digest_group_ids FROM members WHERE account_id = $1', [
    accountId,
  ]);
  expect(rows).toEqual([{ mail_group_ids: [], digest_group_ids: [kept.id] }]);
});

test('an artist that is no longer watched leaves its groups, but following a merge keeps them', async () => {
  const { call, create, first, second } = await seed();
  const group = await create('Frontline');
  await call('PATCH', `/groups/${group.id}`, { add_artist_ids: [first, second] });
  await call('DELETE', `/artists/${second}`);
  expect(idsOf(await call('GET', `/artists?group_id=${group.id}`))).toEqual([first]);
  await pool.query("UPDATE artists SET merged_into = '777', last_polled_at = now() WHERE id = $1", [first]);
  const { body } = await call('POST', `/artists/${first}/follow-merge`);
  expect(idsOf(await call('GET', `/artists?group_id=${group.id}`))).toEqual([body.id]);
});

import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedKey, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { seedMember } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOUR_MS = 3_600_000;

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

async function seed() {
  const { accountId, key } = await seedAccount(pool);
  const artistId = await seedWatchedArtist(pool, accountId);
  const ids = await seedFeed(pool, accountId, artistId, [hoursAgo(1), hoursAgo(2)]);
  const call = (path: string, body?: unknown) =>
    api.call(`/v1${path}`, { key, ...(body !== undefined && { method: 'PATCH', body }) });
  const list = async (query: string) => (await call(`/changes?${query}`)).body.data as Record<string, unknown>[];
  return { accountId, ids: ids as [ChangeId, ChangeId], call, list };
}

const audited = async (accountId: AccountId) =>
  (await pool.query('SELECT action, details FROM audit_events WHERE account_id = $1 ORDER BY id', [accountId])).rows;

const OPEN = { status: 'open', note: null, assignee: null };

describe('PATCH /changes/{id}', () => {
  test('an update sets only the fields in its body, which then appear in lists and in the change itself', async () => {
    const { accountId, ids, call, list } = await seed();
    const { email } = await seedMember(pool, accountId);
    const [id, other] = ids;
    expect((await call(`/changes/${id}`)).body).toMatchObject(OPEN);
    const note = 'Asked the distributor,\nticket 4711';
    const set = await call(`/changes/${id}`, { status: 'handled', note, assignee: email.toUpperCase() });
    expect(set).toMatchObject({ status: 200, body: { id, status: 'handled', note, assignee: email } });
    const expected = { status: 'expected', note, assignee: email };
    expect((await call(`/changes/${id}`, { status: 'expected' })).body).toMatchObject(expected);
    expect((await call(`/changes/${id}`)).body).toMatchObject(expected);
    for (const query of ['', 'type=release_removed', 'limit=1']) {
      expect((await list(query))[0]).toMatchObject({ id, ...expected });
    }
    expect((await list(''))[1]).toMatchObject({ id: other, ...OPEN });
    const cleared = await call(`/changes/${id}`, { status: 'open', note: '', assignee: null });
    expect(cleared.body).toMatchObject(OPEN);
  });

  test('a list with `after` shows the current status of each change', async () => {
    const { ids, call } = await seed();
    const { next_cursor: start } = (await call('/changes?after=now')).body;
    await pool.query('UPDATE feed_items SET position = feed_position() WHERE change_id = ANY($1)', [ids]);
    await call(`/changes/${ids[0]}`, { status: 'handled' });
    // This list is delayed by the oldest open transaction on the server, which may belong to another suite.
    const data = await until('both changes', async () => {
      const read = (await call(`/changes?after=${start}`)).body.data;
      return read.length === 2 && read;
    });
    const found = Object.fromEntries(data.map((change: Record<string, string>) => [change.id, change.status]));
    expect(found).toEqual({ [ids[0]]: 'handled', [ids[1]]: 'open' });
  });

  test('lists, counts and exports can be filtered by status', async () => {
    const { ids, call, list } = await seed();
    await call(`/changes/${ids[1]}`, { status: 'handled', note: 'Done' });
    expect(await list('status=open')).toMatchObject([{ id: ids[0] }]);
    expect(await list('status=handled')).toMatchObject([{ id: ids[1], status: 'handled' }]);
    expect(await list('status=expected')).toEqual([]);
    const counts = (await call('/changes/counts?status=handled')).body.data as { total: number }[];
    expect(counts.reduce((sum, { total }) => sum + total, 0)).toBe(1);
    const { text } = await call('/changes/export?status=handled');
    expect(text.split('\r\n').slice(1)).toEqual([expect.stringMatching(/,handled,Done,$/), '']);
    expect((await call('/changes?status=done')).body.error).toMatchObject({ code: 'invalid_input' });
  });

  test('another account that watches the same artist keeps its own status for the change', async () => {
    const mine = await seed();
    const other = await seed();
    await pool.query(
      `INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
       SELECT $1, confirmed_at, id, severity FROM changes WHERE id = $2`,
      [other.accountId, mine.ids[0]],
    );
    await mine.call(`/changes/${mine.ids[0]}`, { status: 'handled', note: 'Mine' });
    expect((await other.call(`/changes/${mine.ids[0]}`)).body).toMatchObject(OPEN);
    expect(await other.list('status=handled')).toEqual([]);
  });

  test('the audit log has one event for each update that changed something', async () => {
    const { accountId, ids, call } = await seed();
    for (const body of [
      { status: 'open' },
      { status: 'handled' },
      { status: 'handled' },
      { note: 'Later' },
      { status: 'open', note: null },
    ]) {
      expect((await call(`/changes/${ids[0]}`, body)).status).toBe(200);
    }
    expect(await audited(accountId)).toEqual([
      { action: 'change.handled', details: {} },
      { action: 'change.updated', details: { note: 'set' } },
      { action: 'change.reopened', details: { note: 'removed' } },
    ]);
  });

  test('a removed member is no longer the assignee', async () => {
    const { accountId, ids, call } = await seed();
    const { memberId, email } = await seedMember(pool, accountId);
    await call(`/changes/${ids[0]}`, { status: 'handled', assignee: email });
    await pool.query('DELETE FROM members WHERE id = $1', [memberId]);
    expect((await call(`/changes/${ids[0]}`)).body).toMatchObject({ status: 'handled', assignee: null });
  });

  test('an update is rejected for invalid fields, an unknown assignee, a missing scope or a change of another account', async () => {
    const { accountId, ids, call } = await seed();
    const foreign = await seed();
    const path = `/changes/${ids[0]}`;
    for (const body of [{ status: 'done' }, { note: 'x'.repeat(1_001) }, { note: 7 }, { handled: true }]) {
      expect((await call(path, body)).body.error).toMatchObject({ code: 'invalid_input' });
    }
    const { keyId, key } = await seedKey(pool, accountId);
    await pool.query("UPDATE api_keys SET scopes = '{read}' WHERE id = $1", [keyId]);
    const body = { status: 'handled' };
    expect((await api.call(`/v1${path}`, { method: 'PATCH', key, body })).body.error).toMatchObject({
      code: 'insufficient_scope',
    });
    expect((await call(`/changes/${foreign.ids[0]}`, body)).status).toBe(404);
    const stranger = await seedMember(pool, foreign.accountId);
    const refused = await call(path, { ...body, assignee: stranger.email });
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'The assignee is not a member of this account.',
    ]);
    expect((await call(path)).body).toMatchObject(OPEN);
  });
});

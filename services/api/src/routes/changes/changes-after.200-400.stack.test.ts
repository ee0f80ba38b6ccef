import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { recordReportedChanges } from '@artist-watch/persistence/ingest/reported-changes';
import { newId } from '@artist-watch/runtime/ids';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const DAY_MS = 86_400_000;

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

/** The first transaction that calls feed_position() makes all others wait. */
await pool.query('SELECT feed_position()');

let accountId: AccountId;
let key: string;
let artistId: ArtistId;
beforeEach(async () => {
  ({ accountId, key } = await seedAccount(pool));
  artistId = await seedWatchedArtist(pool, accountId);
});

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const record = (client: Pick<typeof pool, 'query'>, ...confirmedAt: Date[]) =>
  seedFeed(client as typeof pool, accountId, artistId, confirmedAt);

async function get(after: string, more = '', caller = key) {
  return api.call(`/v1/changes?after=${after}${more}`, { key: caller });
}
async function read(after: string, more = '') {
  const { status, body } = await get(after, more);
  expect(status).toBe(200);
  return { ids: body.data.map(({ id }: { id: ChangeId }) => id) as ChangeId[], next: body.next_cursor as string };
}
/** The changes can be delayed by transactions in other databases on the same server. */
async function readAll(after: string, count: number, more = '') {
  const ids: ChangeId[] = [];
  let next = after;
  await until('the changes', async () => {
    const page = await read(next, more);
    ids.push(...page.ids);
    next = page.next;
    return ids.length >= count;
  });
  expect((await read(next, more)).next).toBe(next);
  return { ids, next };
}

describe('clients that read to the end and keep the cursor', () => {
  test('a client reads a change even if its transaction began before others and committed after them', async () => {
    const { next: start } = await read('now');
    const late = await pool.connect();
    try {
      await late.query('BEGIN');
      const [first] = await record(late, daysAgo(0));
      const [second] = await record(pool, daysAgo(0));
      // The first change must not end up at a position before the cursor, so the second change has to wait for it.
      expect(await read(start)).toEqual({ ids: [], next: start });
      await late.query('COMMIT');
      expect((await readAll(start, 2)).ids).toEqual([first, second]);
    } finally {
      late.release(true);
    }
  });

  test('a client reads a change that is recorded days after its confirmation', async () => {
    const { next: first } = await read('now');
    await record(pool, daysAgo(0));
    const { next: start } = await readAll(first, 1);
    const [late] = await record(pool, daysAgo(5));
    expect((await readAll(start, 1)).ids).toEqual([late]);
  });

  test('a client gets the time at which each reported change was recorded', async () => {
    const { rows } = await pool.query('SELECT platform_id FROM artists WHERE id = $1', [artistId]);
    const { next: start } = await read('now');
    const id = newId('chg', new Date()) as ChangeId;
    const recordedAt = new Date();
    const change = {
      ...{
        id,
        externalId: id,
        digest: new Uint8Array(1),
        artist: { platformId: rows[0].platform_id, name: 'Nina Vale' },
      },
      ...{ type: 'release_removed', severity: 'critical' as const, entityType: 'release' as const, entityId: '1' },
      ...{
        entityName: 'Night Drive',
        summary: 'It was removed.',
        detectedAt: daysAgo(9),
        confirmedAt: daysAgo(8),
        values: null,
      },
    };
    await recordReportedChanges(pool, 'deezer', [{ changes: [change], now: recordedAt, traceparent: null }]);
    await readAll(start, 1);
    expect((await get(start)).body.data[0]).toMatchObject({ id, recorded_at: recordedAt.toISOString() });
  });

  test.each([
    ['was promoted or restored and now assigns lower transaction ids', 1_000_000],
    ['was restarted and continues its transaction ids', 0],
  ])('a client reads every change exactly once if the database server %s', async (_name, lead) => {
    const { next: start } = await read('now');
    const [before] = await record(pool, daysAgo(1));
    await readAll(start, 1);
    // Make the existing rows look as if they had been written by another server.
    await pool.query("UPDATE feed_generations SET server_started_at = '2026-01-01'");
    await pool.query('UPDATE feed_items SET position = position + $1', [lead]);
    const { next } = await read('now');
    expect(await read(start)).toEqual({ ids: [before], next });
    const [after] = await record(pool, daysAgo(1));
    expect((await readAll(next, 1)).ids).toEqual([after]);
    expect((await readAll(start, 2)).ids).toEqual([before, after]);
  });
});

describe('pages after a cursor', () => {
  test('the page after the newest change is empty and has the same cursor', async () => {
    const { next: first } = await read('now');
    await record(pool, daysAgo(1));
    const { next: start } = await readAll(first, 1);
    expect(await read('now')).toEqual({ ids: [], next: start });
    expect(await read(start)).toEqual({ ids: [], next: start });
    await record(pool, daysAgo(2));
    const { next } = await readAll(start, 1);
    expect(await read(next)).toEqual({ ids: [], next });
  });

  test('a page links to the next page as long as there are more changes', async () => {
    const { next: start } = await read('now');
    const ids = await record(pool, daysAgo(3), daysAgo(1), daysAgo(2));
    const { ids: inOrder } = await readAll(start, 3);
    expect([...inOrder].sort()).toEqual([...ids].sort());
    const first = await get(start, '&limit=2&type=release_removed&q=night+drive');
    expect(first.body.data).toHaveLength(2);
    const path = /^<(.+)>; rel="next"$/.exec(String(first.headers.link))?.[1] as string;
    expect(path).toContain('type=release_removed');
    const second = await api.call(path, { key });
    expect(second.body.data.map(({ id }: { id: ChangeId }) => id)).toEqual([inOrder[2]]);
    expect(second.headers.link).toBeUndefined();
  });

  test('a page has only matching changes, and its cursor also works with different filters', async () => {
    const { next: start } = await read('now');
    const other = await seedWatchedArtist(pool, accountId, { name: 'Ada Moor' });
    const [one] = await record(pool, daysAgo(3));
    const [two] = await seedFeed(pool, accountId, other, [daysAgo(2)]);
    const { next: end } = await readAll(start, 2);
    expect((await read(start, `&artist_id=${other}`)).ids).toEqual([two]);
    expect((await read(start, `&until=${daysAgo(2.5).toISOString()}`)).ids).toEqual([one]);
    expect((await read(start, '&entity_id=r1&severity=critical&type=release_removed')).ids).toEqual([one, two]);
    expect(await read(start, '&type=release_added')).toEqual({ ids: [], next: start });
    expect(await read(end, '&type=release_removed')).toEqual({ ids: [], next: end });
  });

  test("a page omits changes from before the plan's history period and changes without a stored position", async () => {
    const free = await seedAccount(pool, 'free');
    const { body } = await get('now', '', free.key);
    const [, inside] = await seedFeed(pool, free.accountId, artistId, [daysAgo(8), daysAgo(6), daysAgo(5)]);
    await pool.query('UPDATE feed_items SET position = NULL WHERE account_id = $1 AND confirmed_at > $2', [
      free.accountId,
      daysAgo(5.5),
    ]);
    await until('the change', async () => (await get(body.next_cursor, '', free.key)).body.data.length > 0);
    const page = await get(body.next_cursor, '', free.key);
    expect(page.body.data.map(({ id }: { id: ChangeId }) => id)).toEqual([inside]);
  });

  test.each([
    ['is empty', () => '', 'invalid_cursor'],
    ['is made up', () => 'A'.repeat(40), 'invalid_cursor'],
    [
      'belongs to another account',
      async () => (await get('now', '', (await seedAccount(pool)).key)).body.next_cursor,
      'invalid_cursor',
    ],
    [
      'is from a list in a different order',
      async () => (await api.call('/v1/changes?limit=1&since=2020-01-01T00:00:00Z', { key })).body.next_cursor,
      'invalid_cursor',
    ],
    ['is combined with "since"', async () => `${(await read('now')).next}&since=2026-05-01T00:00:00Z`, 'invalid_since'],
    ['is combined with "cursor"', async () => `${(await read('now')).next}&cursor=${'A'.repeat(40)}`, 'invalid_cursor'],
    ['is repeated', () => 'now&after=now', 'invalid_cursor'],
  ])('a request is rejected if the cursor %s', async (_name, cursor, code) => {
    await record(pool, daysAgo(1), daysAgo(2));
    const { status, body } = await get(await cursor());
    expect([status, body.error.code]).toEqual([400, code]);
  });
});

describe('exports after a cursor', () => {
  const exportAfter = async (after: string, more = '') => {
    const { status, text, headers } = await api.call(`/v1/changes/export?format=ndjson&after=${after}${more}`, { key });
    expect(status).toBe(200);
    const ids = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).id as ChangeId);
    return { ids, next: String(headers['x-next-cursor']) };
  };

  test('an export returns the same changes as the list endpoint, and a cursor from one works with the other', async () => {
    const { next: start } = await exportAfter('now');
    await record(pool, daysAgo(3), daysAgo(1), daysAgo(2));
    const listed = await readAll(start, 3);
    expect(await exportAfter(start)).toEqual(listed);
    const [late] = await record(pool, daysAgo(9));
    await readAll(listed.next, 1);
    const exported = await exportAfter(listed.next);
    expect(exported.ids).toEqual([late]);
    expect(await exportAfter(exported.next)).toEqual({ ids: [], next: exported.next });
    expect(await read(exported.next)).toEqual({ ids: [], next: exported.next });
  });

  test('an export can continue after the last change that the client received', async () => {
    const { next: start } = await read('now');
    await record(pool, daysAgo(3), daysAgo(1), daysAgo(2));
    const { ids, next } = await readAll(start, 3);
    expect(await exportAfter(start, `&continue_after=${ids[0]}`)).toEqual({ ids: ids.slice(1), next });
    const refused = await api.call(`/v1/changes/export?after=${next}&continue_after=${ids[0]}`, { key });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_input']);
  });
});

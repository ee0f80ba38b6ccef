import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import {
  feedPageStatement,
  MAX_COMPARED_ROWS,
  newestPosition,
  type RecordedPosition,
  readFeedIds,
  readRecordedIds,
  recordedPageStatement,
} from '@artist-watch/persistence/change/feed-range';
import { feedStore } from '@artist-watch/persistence/change/feed-store';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { beforeAll, describe, expect, test } from '@jest/globals';

const { databaseUrl, pool } = await useSuite();
const since = new Date('2026-01-01T00:00:00Z');
const CHANGES = 20_000;

let accountId: AccountId;
let artistId: ArtistId;

/** Of each 100 changes, one is critical and five are warnings. There are 40 types and 50 artists in rotation. */
beforeAll(async () => {
  ({ accountId } = await seedAccount(pool));
  const artists: ArtistId[] = [];
  for (let place = 0; place < 50; place += 1) artists.push(await seedWatchedArtist(pool, accountId));
  artistId = artists[7] as ArtistId;
  await pool.query(
    `WITH made AS (
       INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', at), ($2::text[])[1 + n % 50], 'confirmed', 'type_' || n % 40,
              CASE WHEN n % 100 = 0 THEN 'critical' WHEN n % 20 = 0 THEN 'warning' ELSE 'info' END::severity,
              'release', (n / 4)::text, CASE WHEN n % 5000 = 0 THEN 'Needle' ELSE 'Hay' END, 'It has changed.', at, at, '{}'
         FROM generate_series(1, $3::int) n, LATERAL (SELECT $4::timestamptz + n * interval '1 minute' AS at) instant
       RETURNING id, confirmed_at)
     INSERT INTO feed_items (account_id, confirmed_at, change_id) SELECT $1, confirmed_at, id FROM made`,
    [accountId, artists, CHANGES, since],
  );
  await pool.query('VACUUM ANALYZE feed_items');
  await pool.query('ANALYZE changes');
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function planOf(filter: ChangeFilter): Promise<PlanNode[]> {
  const { text, values } = feedPageStatement({ accountId, since, filter }, 50);
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}

describe('a page of a filtered feed', () => {
  test.each<readonly [string, () => ChangeFilter, string, number]>([
    ['nothing', () => ({}), 'feed_items_pkey', 51],
    ['one type', () => ({ types: ['type_3'] }), 'feed_items_pkey', 51 * 40],
    ['several types', () => ({ types: ['type_3', 'type_9', 'type_11'] }), 'feed_items_pkey', 20 * 40],
    ['critical', () => ({ minSeverity: 'critical' }), 'feed_items_pkey', 51 * 100],
    ['warnings and critical', () => ({ minSeverity: 'warning' }), 'feed_items_pkey', 51 * 20],
    ['words', () => ({ words: ['hay'] }), 'feed_items_pkey', 60],
    ['a type that never occurred', () => ({ types: ['never_seen'] }), 'feed_items_pkey', 2 * MAX_COMPARED_ROWS],
    ['an artist', () => ({ artistId }), 'changes_artist_id_confirmed_at_id_idx', 51],
    ['an entity', () => ({ entityId: '77' }), 'changes_entity_id_confirmed_at_id_idx', 51],
  ])(
    'a page of changes filtered by %s reads a range of one index in order, until the page is full',
    async (_name, filter, index, most) => {
      const nodes = (await planOf(filter())).filter((node) => node['Actual Loops'] > 0);
      const names = nodes.map((node) => node['Node Type']);
      expect(names.filter((name) => /Sort|Seq Scan|Bitmap|Hash/.test(name))).toEqual([]);
      const scans = nodes.filter((node) => node['Index Name'] === index);
      expect(scans.length).toBeGreaterThan(0);
      expect(scans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)).toBeLessThanOrEqual(
        most,
      );
    },
  );
});

describe('a page after a cursor', () => {
  const START: RecordedPosition = { position: '0', changeId: '' };
  const explain = async (after: RecordedPosition, filter: ChangeFilter = {}) => {
    const { text, values } = recordedPageStatement({ accountId, since, after, filter }, 200);
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    return { nodes: nodesOf(plan), buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
  };
  // Transactions of other suites delay the readable position.
  const readable = () =>
    until('the changes', async () => {
      const newest = await newestPosition(pool, accountId);
      return newest.position !== '0' && newest;
    });

  test("a page after a cursor reads only one index, at a cost independent of the feed's length", async () => {
    const newest = await readable();
    const page = await readRecordedIds(pool, { accountId, since, after: START, filter: {} }, 200);
    const { nodes, buffers } = await explain(START);
    expect(nodes.map((node) => node['Node Type']).filter((name) => /Sort|Seq Scan|Bitmap|Hash/.test(name))).toEqual([]);
    const [scan] = nodes.filter((node) => node['Index Name'] === 'feed_items_position_idx');
    expect(scan).toMatchObject({ 'Node Type': 'Index Only Scan', 'Heap Fetches': 0, 'Actual Rows': 201 });
    expect(page.ids).toHaveLength(200);
    // 201 of 20,000 entries fill only a few index pages.
    expect(buffers).toBeLessThan(30);
    expect((await explain(page.next)).buffers).toBeLessThan(30);
    expect((await explain(newest)).buffers).toBeLessThan(10);
  });

  test('a filtered page after a cursor compares a limited part of the feed, and later pages find the other matches', async () => {
    await readable();
    const found: ChangeId[] = [];
    let after = START;
    for (let hasMore = true; hasMore; ) {
      const range = { accountId, since, after, filter: { words: ['needle'] } };
      const page = await readRecordedIds(pool, range, 3, 6_000);
      found.push(...page.ids);
      ({ next: after, hasMore } = page);
    }
    expect(new Set(found).size).toBe(4);
    expect(found).toHaveLength(4);
  });
});

test('a page of a search compares a limited part of the feed, and later pages find the other matches', async () => {
  const found: ChangeId[] = [];
  const sizes: number[] = [];
  let after: Awaited<ReturnType<typeof readFeedIds>>['next'];
  do {
    const page = await readFeedIds(pool, { accountId, since, after, filter: { words: ['needle'] } }, 3, 6_000);
    sizes.push(page.ids.length);
    found.push(...page.ids);
    after = page.next;
  } while (after);
  // The newest change is the first match; 20,000 changes are compared 6,000 at a time.
  expect(sizes).toEqual([2, 1, 1, 0]);
  expect(new Set(found).size).toBe(4);
});

test('a page is complete even if its items do not fit into the cache together', async () => {
  const { accountId } = await seedAccount(pool);
  const ids = await seedFeed(pool, accountId, artistId, [new Date(since), new Date(since.getTime() + 1)]);
  await pool.query("UPDATE changes SET summary = repeat('x', 20000000) WHERE id = ANY($1)", [ids]);
  const database = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'test' });
  try {
    const feed = feedStore(database);
    const page = { accountId, since, filter: {} };
    expect((await feed.readPage({ ...page, limit: 1 })).items).toHaveLength(1);
    expect((await feed.readPage({ ...page, limit: 2 })).items).toHaveLength(2);
  } finally {
    await database.close();
  }
});

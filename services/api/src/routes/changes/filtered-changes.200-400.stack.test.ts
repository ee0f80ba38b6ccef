import type { ChangeId } from '@artist-watch/domain/ids';
import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOUR_MS = 3_600_000;

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-31T12:00:00.000Z');
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));

const account = await seedAccount(pool);
const stranger = await seedAccount(pool);
const nina = await seedWatchedArtist(pool, account.accountId);
const ola = await seedWatchedArtist(pool, account.accountId, { name: 'Ola 100% Bell' });

const CHANGES = [
  { of: nina, type: 'release_removed', severity: 'critical', entity: '11', name: 'Flowers' },
  { of: ola, type: 'label_changed', severity: 'warning', entity: '12', name: 'Flowers in May' },
  { of: nina, type: 'release_added', severity: 'info', entity: '13', name: 'Rain' },
  { of: ola, type: 'isrc_changed', severity: 'critical', entity: '11', name: 'Snow_fall' },
  { of: nina, type: 'release_added', severity: 'info', entity: '11', name: 'Flowers' },
] as const;

const ids: ChangeId[] = [];
for (const [place, { of, type, severity, entity, name }] of CHANGES.entries()) {
  const at = new Date(clock.now().getTime() - (place + 1) * HOUR_MS);
  const [id] = (await seedFeed(pool, account.accountId, of, [at])) as [ChangeId];
  await pool.query(
    `UPDATE changes SET type = $2, severity = $3, entity_id = $4, entity_name = $5, summary = $6, artist_name = $7
      WHERE id = $1`,
    [id, type, severity, entity, name, `“${name}” has changed.`, of === ola ? 'Ola 100% Bell' : 'Nina Vale'],
  );
  ids.push(id);
}
await seedFeed(pool, stranger.accountId, nina, [new Date(clock.now().getTime() - 30 * 60_000)]);

const placesOf = (answer: ApiAnswer): number[] =>
  answer.body.data.map((change: { id: ChangeId }) => ids.indexOf(change.id));
const list = (query: string) => api.call(`/v1/changes?${query}`, account);

describe('filtered lists', () => {
  test.each<readonly [string, readonly number[]]>([
    ['type=release_added', [2, 4]],
    ['type=release_added&type=isrc_changed', [2, 3, 4]],
    ['type=never_seen', []],
    ['severity=critical', [0, 3]],
    ['severity=warning', [0, 1, 3]],
    ['severity=info', [0, 1, 2, 3, 4]],
    [`artist_id=${ola}`, [1, 3]],
    ['entity_id=11', [0, 3, 4]],
    ['until=2026-05-31T10:00:00Z', [2, 3, 4]],
    ['until=2026-05-31T10:00:00.001Z', [1, 2, 3, 4]],
    ['since=2026-05-31T08:00:00Z&until=2026-05-31T11:00:00Z', [1, 2, 3]],
    ['q=flowers', [0, 1, 4]],
    ['q=MAY%20flowers', [1]],
    ['q=100%25', [1, 3]],
    ['q=snow_', [3]],
    ['q=nina%20rain', [2]],
    [`artist_id=${nina}&severity=critical`, [0]],
    [`artist_id=${nina}&entity_id=11&type=release_added`, [4]],
    ['type=release_added&severity=warning', []],
    ['severity=warning&q=flowers&until=2026-05-31T11:00:00Z', [1]],
  ])('a filtered list has only matching changes, and none from other accounts: %s', async (query, expected) => {
    expect(placesOf(await list(query))).toEqual(expected);
  });

  test('the next page needs only the cursor, which contains the filters', async () => {
    const filters = ['type=release_added&type=release_removed', 'severity=warning', 'entity_id=11', 'q=flowers'];
    for (const filter of filters) {
      const whole = placesOf(await list(filter));
      const paged: number[] = [];
      for (let query = `${filter}&limit=1`; ; ) {
        const answer = await list(query);
        paged.push(...placesOf(answer));
        if (answer.body.next_cursor === null) break;
        query = `limit=1&cursor=${answer.body.next_cursor}`;
      }
      expect(paged).toEqual(whole);
    }
  });

  test('the cursor works even if the filter has 20 long types', async () => {
    const types = ['release_added', ...Array.from({ length: 19 }, (_, n) => `t${n}_`.padEnd(63, 'x').concat('y'))];
    const long = `severity=info&artist_id=${nina}&until=2026-05-31T12:00:00Z&limit=1`;
    const first = await list(`${types.map((type) => `type=${type}`).join('&')}&${long}`);
    expect(placesOf(await list(`limit=1&cursor=${first.body.next_cursor}`))).toEqual([4]);
  });

  test('the cursor can be sent with the same filter, in any order, but not with a different filter', async () => {
    const { body } = await list('type=release_added&type=isrc_changed&limit=1');
    const cursor = `limit=1&cursor=${body.next_cursor}`;
    expect(placesOf(await list(`${cursor}&type=isrc_changed&type=release_added`))).toEqual([3]);
    for (const other of ['type=release_added', 'severity=critical', 'q=rain', 'until=2026-05-31T10:00:00Z']) {
      const answer = await list(`${cursor}&${other}`);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_cursor']);
    }
  });

  test.each([
    'type=Release',
    'type=',
    `${Array.from({ length: 21 }, (_, n) => `type=a${n}`).join('&')}`,
    'severity=grave',
    'severity=info&severity=critical',
    'artist_id=27',
    'entity_id=',
    'entity_id=%00',
    'q=rain%00',
    'until=yesterday',
    'q=',
    'q=%20',
    `q=${'a%20'.repeat(11)}`,
    `q=${'a'.repeat(201)}`,
  ])('rejects %s', async (query) => {
    const { status, body } = await list(query);
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
  });
});

describe('counts of changes by day', () => {
  const counts = async (query: string, of = account) => (await api.call(`/v1/changes/counts?${query}`, of)).body.data;
  const today = (critical: number, warning: number, info: number) => [
    { day: '2026-05-31', total: critical + warning + info, critical, warning, info },
  ];

  test.each<readonly [string, readonly [number, number, number]]>([
    ['', [2, 1, 2]],
    ['severity=warning&', [2, 1, 0]],
    ['type=release_added&', [0, 0, 2]],
    [`artist_id=${ola}&`, [1, 1, 0]],
    [`artist_id=${nina}&entity_id=11&`, [1, 0, 1]],
    ['until=2026-05-31T11:00:00Z&', [1, 1, 2]],
  ])('the counts match the list with the filter "%s"', async (filter, [critical, warning, info]) => {
    expect(await counts(`${filter}since=2026-05-31T00:00:00Z`)).toEqual(today(critical, warning, info));
  });

  test('the counts include each of the last 30 days, and no changes from other accounts', async () => {
    const days: { day: string; total: number }[] = await counts('by=day');
    expect(days).toHaveLength(30);
    expect([days[0]?.day, days.at(-1)?.day]).toEqual(['2026-05-02', '2026-05-31']);
    expect(days.filter(({ total }) => total > 0)).toEqual([{ ...today(2, 1, 2)[0] }]);
  });

  test("the counts start no earlier than the plan's history period, and a header contains the start", async () => {
    const free = await seedAccount(pool, 'free');
    const answer = await api.call('/v1/changes/counts', free);
    expect(answer.headers['x-history-since']).toBe('2026-05-24T12:00:00.000Z');
    expect(answer.body.data).toHaveLength(8);
  });

  test('counts for any unit except days are rejected', async () => {
    expect((await api.call('/v1/changes/counts?by=week', account)).body.error.code).toBe('invalid_input');
  });
});

import { changeListSchema } from '@artist-watch/contracts/api/change';
import type { ChangeId } from '@artist-watch/domain/ids';
import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-31T12:00:00.000Z');
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));

const ago = (durationMs: number) => new Date(clock.now().getTime() - durationMs);
const idsOf = (answer: ApiAnswer): ChangeId[] => answer.body.data.map((change: { id: ChangeId }) => change.id);

async function accountWithFeed(agesMs: readonly number[], plan: 'free' | 'business' = 'business') {
  const account = await seedAccount(pool, plan);
  const artistId = await seedWatchedArtist(pool, account.accountId);
  const ids = await seedFeed(pool, account.accountId, artistId, agesMs.map(ago));
  return { ...account, artistId, ids };
}

describe('lists of changes', () => {
  test('a list has every documented field of each change', async () => {
    const { key, artistId, ids } = await accountWithFeed([HOUR_MS]);
    const answer = await api.call('/v1/changes', { key });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(changeListSchema.parse(answer.body)).toEqual({
      data: [
        {
          id: ids[0],
          type: 'release_removed',
          severity: 'critical',
          artist_id: artistId,
          summary: 'The release "Night Drive" is no longer available.',
          confirmed_at: '2026-05-31T11:00:00.000Z',
          entity_type: 'release',
          entity_id: 'r1',
          entity_name: 'Night Drive',
          detected_at: '2026-05-31T10:30:00.000Z',
          artist_name: 'Nina Vale',
          platform_url: null,
          recorded_at: '2026-05-31T11:00:00.000Z',
          before: null,
          after: null,
          status: 'open',
          note: null,
          assignee: null,
        },
      ],
      next_cursor: null,
    });
  });

  test('a list is newest first and covers the last 24 hours by default', async () => {
    const { key, ids } = await accountWithFeed([0, 1, HOUR_MS, DAY_MS, DAY_MS + 1]);
    expect(idsOf(await api.call('/v1/changes', { key }))).toEqual(ids.slice(0, 4));
  });

  test('a list includes a change at exactly `since`, to the millisecond', async () => {
    const { key, ids } = await accountWithFeed([HOUR_MS - 1, HOUR_MS, HOUR_MS + 1]);
    expect(idsOf(await api.call('/v1/changes?since=2026-05-31T11:00:00.000Z', { key }))).toEqual(ids.slice(0, 2));
    expect(idsOf(await api.call('/v1/changes?since=2026-05-31T11:00:00.0001Z', { key }))).toEqual(ids.slice(0, 1));
  });

  test.each(['2026-05-31T13:00:00+02:00', '2026-05-31T13:00:00%2B02:00', '2026-05-31T13:00:00%2002:00'])(
    'the offset in since=%s is accepted, whether or not its + is percent-encoded',
    async (since) => {
      const { key, ids } = await accountWithFeed([HOUR_MS, HOUR_MS + 1]);
      expect(idsOf(await api.call(`/v1/changes?since=${since}`, { key }))).toEqual(ids.slice(0, 1));
    },
  );

  test.each(['2026-05-31T12:00:00.001Z', '9999-12-31T23:59:59-23:59'])(
    'a list for since=%s, which is in the future, is empty',
    async (since) => {
      const { key } = await accountWithFeed([0]);
      const answer = await api.call(`/v1/changes?since=${since}`, { key });
      expect(answer).toMatchObject({ status: 200, body: { data: [], next_cursor: null } });
      expect(answer.headers).not.toHaveProperty('x-history-since');
    },
  );

  test("a list never starts before the plan's history period, and a header contains the start", async () => {
    const { key, ids } = await accountWithFeed([6 * DAY_MS, 7 * DAY_MS, 7 * DAY_MS + 1], 'free');
    const clamped = await api.call('/v1/changes?since=0001-01-01T00:00:00Z', { key });
    expect(idsOf(clamped)).toEqual(ids.slice(0, 2));
    expect(clamped.headers['x-history-since']).toBe('2026-05-24T12:00:00.000Z');
    const atTheEdge = await api.call('/v1/changes?since=2026-05-24T12:00:00Z', { key });
    expect(idsOf(atTheEdge)).toEqual(ids.slice(0, 2));
    expect(atTheEdge.headers).not.toHaveProperty('x-history-since');
  });

  test('a list has no changes from other accounts', async () => {
    const mine = await accountWithFeed([HOUR_MS]);
    await accountWithFeed([HOUR_MS]);
    expect(idsOf(await api.call('/v1/changes', mine))).toEqual(mine.ids);
  });
});

describe('paging through a list', () => {
  let account: Awaited<ReturnType<typeof accountWithFeed>>;
  beforeAll(async () => {
    // Each timestamp is shared by two changes, so some pages end between two changes with the same time.
    account = await accountWithFeed(Array.from({ length: 405 }, (_, place) => Math.floor(place / 2) * 1_000));
  });
  /** Changes with equal times are sorted by id. */
  const expected = () => {
    const pairs: ChangeId[][] = [];
    for (let at = 0; at < account.ids.length; at += 2)
      pairs.push(
        account.ids
          .slice(at, at + 2)
          .sort()
          .reverse(),
      );
    return pairs.flat();
  };

  test('pages have at most 200 changes, and each change is on exactly one page', async () => {
    const pages: ChangeId[][] = [];
    let cursor: string | null = null;
    do {
      const answer: ApiAnswer = await api.call(`/v1/changes${cursor === null ? '' : `?cursor=${cursor}`}`, account);
      pages.push(idsOf(answer));
      cursor = answer.body.next_cursor;
      expect(answer.headers.link).toBe(cursor === null ? undefined : `</v1/changes?cursor=${cursor}>; rel="next"`);
    } while (cursor !== null);
    expect(pages.map((page) => page.length)).toEqual([200, 200, 5]);
    expect(pages.flat()).toEqual(expected());
  });

  test('each page has `limit` changes, and its Link header leads to the next page', async () => {
    const first = await api.call('/v1/changes?limit=3', account);
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.link as string)?.[1] as string;
    const second = await api.call(next, account);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(expected().slice(0, 6));
  });

  test('a last page that is exactly full has no next page', async () => {
    const { key } = await accountWithFeed([1, 2, 3]);
    expect((await api.call('/v1/changes?limit=3', { key })).body.next_cursor).toBeNull();
    expect((await api.call('/v1/changes?limit=2', { key })).body.next_cursor).not.toBeNull();
  });

  test('no change is repeated or skipped if new changes arrive between two pages', async () => {
    const { key, accountId, artistId, ids } = await accountWithFeed([1_000, 2_000, 3_000, 4_000]);
    const first = await api.call('/v1/changes?limit=2', { key });
    await seedFeed(pool, accountId, artistId, [ago(500), ago(1_500)]);
    const [late] = await seedFeed(pool, accountId, artistId, [ago(2_500)]);
    const second = await api.call(`/v1/changes?cursor=${first.body.next_cursor}`, { key });
    expect([...idsOf(first), ...idsOf(second)]).toEqual([ids[0], ids[1], late, ids[2], ids[3]]);
  });

  test('later pages keep the `since` of the first page as time passes', async () => {
    const { key, ids } = await accountWithFeed([1_000, DAY_MS - 1_000, DAY_MS]);
    const first = await api.call('/v1/changes?limit=1', { key });
    clock.advance(2 * HOUR_MS);
    const second = await api.call(`/v1/changes?cursor=${first.body.next_cursor}`, { key });
    clock.advance(-2 * HOUR_MS);
    expect(idsOf(second)).toEqual(ids.slice(1));
  });

  test('the cursor can be sent with the same `since`, in any notation', async () => {
    const { key, ids } = await accountWithFeed([1_000, 2_000], 'free');
    const first = await api.call('/v1/changes?limit=1&since=2020-01-01T00:00:00Z', { key });
    const second = await api.call(`/v1/changes?since=2020-01-01T01:00:00%2B01:00&cursor=${first.body.next_cursor}`, {
      key,
    });
    expect(idsOf(second)).toEqual(ids.slice(1));
    expect(second.headers['x-history-since']).toBe('2026-05-24T12:00:00.000Z');
  });
});

describe('conditional reads', () => {
  test('unchanged data gets a 304 without a body, which still counts against the rate limit', async () => {
    const { key } = await accountWithFeed([1_000, 2_000]);
    const path = '/v1/changes?since=2026-05-31T00:00:00Z&limit=1';
    const first = await api.call(path, { key });
    const etag = first.headers.etag as string;
    expect(etag).toMatch(/^"[^"]+"$/);
    const second = await api.call(path, { key, headers: { 'If-None-Match': `"other", W/${etag}` } });
    expect(second).toMatchObject({ status: 304, text: '' });
    expect(second.headers.etag).toBe(etag);
    expect(Number(second.headers['x-ratelimit-remaining'])).toBe(Number(first.headers['x-ratelimit-remaining']) - 1);
  });

  test('changed data gets the whole response with a new ETag', async () => {
    const { key, accountId, artistId } = await accountWithFeed([1_000]);
    const { headers } = await api.call('/v1/changes', { key });
    await seedFeed(pool, accountId, artistId, [ago(500)]);
    const answer = await api.call('/v1/changes', { key, headers: { 'If-None-Match': headers.etag as string } });
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).not.toBe(headers.etag);
  });
});

test('HEAD returns the same headers as GET, without a body', async () => {
  const { key } = await accountWithFeed([1_000]);
  const get = await api.call('/v1/changes', { key });
  const head = await api.call('/v1/changes', { key, method: 'HEAD' });
  expect(head).toMatchObject({ status: 200, text: '' });
  for (const name of ['etag', 'content-type', 'content-length', 'x-ratelimit-limit']) {
    expect(head.headers[name]).toBe(get.headers[name]);
  }
});

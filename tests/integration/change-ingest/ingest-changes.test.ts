import { changeDetail } from '@artist-watch/contracts/api/change';
import type { AccountId } from '@artist-watch/domain/ids';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import { feedStore } from '@artist-watch/persistence/change/feed-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import {
  createIngestFixture,
  destinationOf,
  type IngestFixture,
  NEXT_TOKEN,
  openTestDatabase,
  TOKEN,
  watching,
} from './ingest-fixture.js';

const { databaseUrl, pool } = await useSuite();
const database = openTestDatabase(databaseUrl);
const clock = new TestClock('2026-03-01T12:00:00.000Z');
let ingest: IngestFixture;

beforeAll(async () => {
  ingest = createIngestFixture(database, clock);
});
beforeEach(async () => {
  await pool.query('TRUNCATE accounts, artists, changes, feed_items, deliveries CASCADE');
});
afterAll(() => database.close());

const item = (over: Record<string, unknown> = {}) => ({
  external_id: 'ext-1',
  platform: 'deezer',
  artist_platform_id: '27',
  artist_name: 'Daft Punk',
  type: 'release_removed',
  entity_type: 'release',
  entity_id: '302127',
  entity_name: 'Discovery',
  detected_at: '2026-03-01T11:00:00Z',
  ...over,
});

function post(body: unknown, path = '/ingest/v1/changes') {
  return supertest(ingest.app)
    .post(path)
    .set('Authorization', `Bearer ${TOKEN}`)
    .set('Content-Type', 'application/json')
    .send(typeof body === 'string' ? body : JSON.stringify(body));
}
const changes = (...items: unknown[]) => ({ changes: items });
const count = async (table: string) =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n;

describe('an accepted change', () => {
  test("an accepted change is confirmed, is in every watching account's feed, and is delivered to every matching destination", async () => {
    const artistId = await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
    await watching(pool, { accountId: 'acc_2', artistPlatformId: '27', plan: 'free' });
    await watching(pool, { accountId: 'acc_3', artistPlatformId: '28' });
    await destinationOf(pool, { id: 'dst_all', accountId: 'acc_1' });
    await destinationOf(pool, { id: 'dst_off', accountId: 'acc_1', off: true });
    await destinationOf(pool, { id: 'dst_other', accountId: 'acc_3' });
    const before = ingest.released();

    const response = await post(changes(item({ summary: 'Gone.', confirmed_at: '2026-03-01T12:30:00.5+01:00' })));

    expect([response.status, response.body]).toEqual([
      202,
      { accepted: 1, duplicates: 0, results: [{ external_id: 'ext-1', outcome: 'recorded' }] },
    ]);
    expect(ingest.released()).toBe(before + 1);
    const {
      rows: [change],
    } = await pool.query('SELECT * FROM changes');
    expect(change).toMatchObject({
      state: 'confirmed',
      type: 'release_removed',
      severity: 'critical',
      artist_id: artistId,
      confirmed_at: new Date('2026-03-01T11:30:00.500Z'),
      detected_at: new Date('2026-03-01T11:00:00Z'),
    });
    expect(JSON.parse(change.webhook_body)).toEqual({
      event: 'change.confirmed',
      change_id: change.id,
      artist_id: artistId,
      artist: 'Daft Punk',
      artist_platform_id: '27',
      entity_type: 'release',
      entity_id: '302127',
      entity_name: 'Discovery',
      severity: 'critical',
      change_type: 'release_removed',
      summary: 'Gone.',
      detected_at: 1772362800,
      before: null,
      after: null,
      platform_url: 'https://www.deezer.com/album/302127',
      confirmed_at: 1772364600,
    });
    const { rows: feed } = await pool.query('SELECT account_id, severity FROM feed_items ORDER BY account_id');
    expect(feed).toEqual(['acc_1', 'acc_2'].map((account_id) => ({ account_id, severity: 'critical' })));
    const { rows: deliveries } = await pool.query(
      'SELECT destination_id, state FROM deliveries ORDER BY destination_id',
    );
    expect(deliveries).toEqual([
      { destination_id: 'dst_all', state: 'pending' },
      { destination_id: 'dst_off', state: 'skipped' },
    ]);
  });

  test('an accepted change without a severity, summary or confirmation time gets defaults', async () => {
    await post(
      changes(item({ type: 'label_changed' }), item({ external_id: 'ext-2', type: 'chart_entry', severity: null })),
    );
    const { rows } = await pool.query('SELECT type, severity, summary, confirmed_at FROM changes ORDER BY external_id');
    expect(rows).toEqual([
      {
        type: 'label_changed',
        severity: 'warning',
        summary: expect.stringContaining('Discovery'),
        confirmed_at: clock.now(),
      },
      {
        type: 'chart_entry',
        severity: 'info',
        summary: expect.stringContaining('Daft Punk'),
        confirmed_at: clock.now(),
      },
    ]);
  });

  const CREDITS = [{ platform_id: '27', name: 'Daft Punk' }];
  const RELEASE = { platform_id: '9', title: 'Alive', type: null, release_date: '2007', upc: null };
  const TRACK = { platform_id: '9', title: 'Aerodynamic', isrc: 'GBDUW0000053', position: 2 };
  const CATALOGUE = { markets: ['DE'], releases: [{ platform_id: '9', title: 'Alive' }], release_count: 4 };
  const NESTED = { rank: 3, charts: [{ name: 'Top 40', weeks: [1.5, 1e308] }], '<b>': { deep: { er: null } } };

  test.each([
    ['label_changed', 'release', 'Virgin', 'Columbia'],
    ['release_date_changed', 'release', '2001-03', null],
    ['artwork_changed', 'release', 'f'.repeat(32), 'e'.repeat(32)],
    ['explicit_flag_changed', 'track', false, true],
    ['followers_drop', 'artist', 2_000, 0],
    ['credits_changed', 'track', CREDITS, [{ platform_id: null, name: 'Guest' }]],
    ['availability_reduced', 'release', ['DE', 'FR'], ['DE']],
    ['availability_reduced', 'artist', CATALOGUE, null],
    ['release_removed', 'release', RELEASE, null],
    ['track_added', 'track', null, TRACK],
    ['chart_entry', 'track', NESTED, 'first'],
    ['chart_exit', 'track', 2.5, false],
  ])(
    'the values of a change are in the API and in the webhook: %s of a %s',
    async (type, entity_type, before, after) => {
      await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
      const { status } = await post(changes(item({ type, entity_type, before, after })));
      expect(status).toBe(202);
      const { rows } = await pool.query('SELECT id, webhook_body FROM changes');
      expect(JSON.parse(rows[0].webhook_body)).toMatchObject({ before, after });
      const reference = { accountId: 'acc_1' as AccountId, id: rows[0].id, oldest: new Date(0) };
      const shown = changeDetail(await readChangeOfAccount(pool, reference));
      expect(shown).toMatchObject({ origin: 'reported', before, after });
      const range = { accountId: reference.accountId, since: reference.oldest, filter: {} };
      const { items } = await feedStore(database).readPage({ ...range, limit: 1 });
      expect(JSON.parse(Buffer.from(items[0] as Uint8Array).toString())).toMatchObject({ before, after });
    },
  );

  test('a value that is too long for a webhook can be read only in the details of the change', async () => {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
    const after = 'x'.repeat(9_998);
    expect((await post(changes(item({ type: 'label_changed', before: 'y', after })))).status).toBe(202);
    const { rows } = await pool.query('SELECT id, webhook_body FROM changes');
    expect(JSON.parse(rows[0].webhook_body)).toMatchObject({ before: 'y' });
    expect(JSON.parse(rows[0].webhook_body)).not.toHaveProperty('after');
    const reference = { accountId: 'acc_1' as AccountId, id: rows[0].id, oldest: new Date(0) };
    expect(changeDetail(await readChangeOfAccount(pool, reference))).toMatchObject({ before: 'y', after });
  });

  test('a change to an unknown artist creates the artist, which is not polled', async () => {
    await post(changes(item()));
    const { rows } = await pool.query('SELECT platform, platform_id, name, next_poll_at FROM artists');
    expect(rows).toEqual([{ platform: 'deezer', platform_id: '27', name: 'Daft Punk', next_poll_at: null }]);
  });

  test('a reported artist name is stored, but never replaces an observed one', async () => {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
    await post(changes(item()));
    expect((await pool.query('SELECT name FROM artists')).rows).toEqual([{ name: 'Daft Punk' }]);
    await pool.query(`UPDATE artists SET name = 'Observed', last_complete_at = now()`);
    await post(changes(item({ external_id: 'ext-2', artist_name: 'Reported' })));
    expect((await pool.query('SELECT name FROM artists')).rows).toEqual([{ name: 'Observed' }]);
  });
});

describe('the response', () => {
  test('the response has a result for each item, in the order of the request', async () => {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '27' });
    await watching(pool, { accountId: 'acc_2', artistPlatformId: '28', plan: 'free' });
    await post(changes(item()));
    const old = { detected_at: '2026-02-01T11:00:00Z', confirmed_at: '2026-02-01T12:00:00Z' };
    const { status, body } = await post(
      changes(
        item({ external_id: 'c', artist_platform_id: '99' }),
        item({ external_id: 'b', artist_platform_id: '28', ...old }),
        item(),
        item({ external_id: 'a', ...old }),
        item({ external_id: 'c', artist_platform_id: '99' }),
      ),
    );
    expect([status, body]).toEqual([
      202,
      {
        accepted: 3,
        duplicates: 2,
        results: [
          { external_id: 'c', outcome: 'not_watched' },
          { external_id: 'b', outcome: 'beyond_history' },
          { external_id: 'ext-1', outcome: 'duplicate' },
          { external_id: 'a', outcome: 'recorded' },
          { external_id: 'c', outcome: 'duplicate' },
        ],
      },
    ]);
  });

  test('a change that was confirmed before it was detected is rejected, and nothing is stored', async () => {
    const { status, body } = await post(
      changes(item(), item({ external_id: 'early', confirmed_at: '2026-03-01T10:59:59Z' })),
    );
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
    expect(body.error.message).toContain('1 (confirmed_at is before detected_at)');
    expect(await count('changes')).toBe(0);
  });
});

describe('the same external_id', () => {
  test('the same external_id with the same content is a duplicate, however much later it is sent', async () => {
    await post(changes(item()));
    clock.advance(60_000);
    const again = await post(
      changes(item({ detected_at: '2026-03-01T12:00:00.000+01:00' }), item({ external_id: 'ext-2' })),
    );
    expect(again.body).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await count('changes')).toBe(2);
  });

  test('the same external_id with equal values is a duplicate, and with different ones a conflict', async () => {
    const own = (before: unknown, external_id = 'own') => changes(item({ external_id, type: 'chart_entry', before }));
    expect((await post(own({ a: 1, b: { c: 2, d: [3, 4] } }))).body).toMatchObject({ accepted: 1 });
    expect((await post(own({ b: { d: [3, 4], c: 2 }, a: 1 }))).body).toMatchObject({ duplicates: 1 });
    for (const other of [{ a: 1, b: { c: 2, d: [4, 3] } }, undefined, null])
      expect((await post(own(other))).status).toBe(409);
    expect((await post(own(undefined, 'bare'))).body).toMatchObject({ accepted: 1 });
    expect((await post(own(null, 'bare'))).body).toMatchObject({ duplicates: 1 });
    expect((await post(own('a', 'bare'))).status).toBe(409);
  });

  test('the same external_id twice in one batch is stored once', async () => {
    expect((await post(changes(item(), item(), item()))).body).toMatchObject({ accepted: 1, duplicates: 2 });
  });

  test.each([
    ['earlier', [item()], [item({ external_id: 'ext-0' }), item({ entity_name: 'Homework' })]],
    ['in the same batch', [], [item({ external_id: 'ext-0' }), item(), item({ severity: 'info' })]],
  ])(
    'the same external_id with different content %s gets 409, and nothing of the batch is stored',
    async (_when, before, batch) => {
      if (before.length > 0) await post(changes(...before));
      const response = await post(changes(...batch));
      expect(response.status).toBe(409);
      expect(response.body).toEqual({
        error: { code: 'conflict', message: expect.stringMatching(/in an earlier request or in this one.*"ext-1"/) },
      });
      expect(await count('changes')).toBe(before.length);
      expect(await count('artists')).toBe(before.length);
    },
  );

  test('the same external_id in concurrent batches, in any order, is stored once', async () => {
    await watching(pool, { accountId: 'acc_1', artistPlatformId: '1' });
    const items = Array.from({ length: 200 }, (_, n) =>
      item({ external_id: `e${n}`, artist_platform_id: String(n % 17) }),
    );
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => post(changes(...(n % 2 ? items : items.toReversed())))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect(answers.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(200);
    expect(answers.reduce((sum, { body }) => sum + body.duplicates, 0)).toBe(1_400);
    expect(await count('changes')).toBe(200);
    expect(await count('artists')).toBe(17);
    expect(await count('feed_items')).toBe(items.filter(({ artist_platform_id }) => artist_platform_id === '1').length);
  });
});

describe('the validation of requests', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });

  test.each([
    ['label_changed', 1, 'before must be a string'],
    ['artist_removed', 'x', 'before must be omitted for this type'],
    ['availability_reduced', ['Germany'], 'before.0 must be an ISO 3166-1 alpha-2 code'],
    ['release_removed', { title: 'Alive' }, 'before.platform_id is missing'],
    ['release_removed', { platform_id: '9', upcs: [] }, 'before has unknown fields: upcs'],
    ['release_date_changed', 'March', 'before must be YYYY-MM-DD, YYYY-MM or YYYY'],
    ['followers_drop', 1.5, 'before must be a whole number'],
    ['chart_entry', ['a'], 'before must be a string, a number, true, false or an object'],
    ['chart_entry', nested(6), 'before must not be nested more than 5 levels deep'],
    ['chart_entry', 'x'.repeat(9_999), 'before must have at most 10000 characters as JSON'],
    ['chart_entry', { 'a\0': 1 }, 'before must not contain NUL or a lone surrogate'],
    ['chart_entry', { a: ['\ud800'] }, 'before must not contain NUL or a lone surrogate'],
  ])('a change of type %s with the value %j is rejected', async (type, before, problem) => {
    const response = await post(changes(item({ external_id: 'x' }), item({ type, before })));
    expect([response.status, response.body.error.code]).toEqual([400, 'invalid_input']);
    expect(response.body.error.message).toContain(`1 (${problem}`);
    expect(await count('changes')).toBe(0);
  });

  test.each([
    ['an infinite number', '{"a":1e999}', 'must not contain a number that exceeds a 64-bit float'],
    ['100,000 nested lists', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'must not be nested more than 5'],
  ])('a change whose value has %s is rejected', async (_what, before, problem) => {
    const body = JSON.stringify(changes(item({ type: 'chart_entry', before: 'HERE' }))).replace('"HERE"', before);
    const response = await post(body);
    expect([response.status, response.body.error.code]).toEqual([400, 'invalid_input']);
    expect(response.body.error.message).toContain(`0 (before ${problem}`);
  });

  test('a request with one invalid item stores nothing, and its error names invalid items by index, from 0', async () => {
    const response = await post(
      changes(item(), item({ type: 'NotSnake' }), item({ external_id: 'x' }), { nothing: true }),
    );
    expect(response.status).toBe(400);
    expect(response.body.error.code).toBe('invalid_input');
    expect(response.body.error.message).toMatch(/\b1 \(type must be snake_case\), 3 \(/);
    expect(await count('changes')).toBe(0);
  });

  test.each([
    ['another platform', { platform: 'spotify' }],
    ['an unknown severity', { severity: 'fatal' }],
    ['an unknown entity type', { entity_type: 'label' }],
    ['a time without a time zone', { detected_at: '2026-03-01T11:00:00' }],
    ['a date that does not exist', { confirmed_at: '2026-02-30T11:00:00Z' }],
    ['a name of 501 characters', { entity_name: 'x'.repeat(501) }],
    ['a summary of 1,001 characters', { summary: 'x'.repeat(1_001) }],
    ['a type of 65 characters', { type: 'x'.repeat(65) }],
    ['an empty external_id', { external_id: '' }],
    ['a NUL', { entity_name: 'a\0b' }],
    ['half of a surrogate pair', { entity_name: 'a\ud800' }],
    ['a missing field', { entity_id: undefined }],
    ['an unknown field', { severty: 'info' }],
  ])('a change with %s is rejected', async (_what, over) => {
    const response = await post(changes(item(over)));
    expect([response.status, response.body.error.code]).toEqual([400, 'invalid_input']);
  });

  test.each(['detected_at', 'confirmed_at'])(
    'a change with a %s more than 60 s in the future is rejected',
    async (field) => {
      const ahead = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();
      const refused = await post(changes(item(), item({ external_id: 'x', [field]: ahead(60_001) })));
      expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_input']);
      expect(refused.body.error.message).toContain(`1 (${field} is in the future)`);
      expect(await count('changes')).toBe(0);
      expect((await post(changes(item({ [field]: ahead(60_000) })))).status).toBe(202);
    },
  );

  test('a name of 500 emoji is accepted, because each emoji counts as one character', async () => {
    expect((await post(changes(item({ entity_name: '🎵'.repeat(500), summary: '🎵'.repeat(1_000) })))).status).toBe(
      202,
    );
  });

  test('a request with 1,001 items is rejected, because the limit is 1,000', async () => {
    const items = Array.from({ length: 1_001 }, (_, n) => item({ external_id: `e${n}` }));
    expect((await post(changes(...items))).status).toBe(400);
    expect((await post(changes(...items.slice(1)))).body).toMatchObject({ accepted: 1_000, duplicates: 0 });
    expect((await post(changes())).body).toEqual({ accepted: 0, duplicates: 0, results: [] });
  });

  test('a request over 5 MB gets 413', async () => {
    const response = await post(JSON.stringify(changes(item({ entity_name: 'x'.repeat(5_000_001) }))));
    expect([response.status, response.body.error.code]).toEqual([413, 'payload_too_large']);
  });

  test.each(['{', '', '"', '{"changes":[]} x'])('a request that is not JSON is rejected: %j', async (body) => {
    const response = await post(body);
    expect([response.status, response.body.error.code]).toEqual([400, 'invalid_json']);
  });

  test.each(['null', '[]', '"text"', '{}', '{"changes":{}}', '{"changes":[],"more":1}'])(
    'a request with JSON that is not a batch is rejected: %s',
    async (body) => {
      const response = await post(body);
      expect([response.status, response.body.error.code]).toEqual([400, 'invalid_input']);
    },
  );

  test('a request with a different content type gets 415', async () => {
    for (const type of ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded']) {
      const response = await post('{"changes":[]}').set('Content-Type', type);
      expect([response.status, response.body.error.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  test('a request with an unsupported compression gets 415 and a list of the supported ones', async () => {
    const response = await post('{"changes":[]}').set('Content-Encoding', 'zstd');
    expect(response.status).toBe(415);
    expect(response.body.error.message).toContain('one of these Content-Encodings: gzip, deflate, br');
  });

  test.each([undefined, 'Bearer', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, TOKEN])(
    'a request with the credentials %j gets 401, before anything else is checked',
    async (authorization) => {
      for (const path of ['/ingest/v1/changes', '/nowhere']) {
        const request = supertest(ingest.app).post(path).send('{');
        const response = await (authorization === undefined ? request : request.set('Authorization', authorization));
        expect([response.status, response.body.error.code]).toEqual([401, 'unauthorized']);
        expect(response.headers['www-authenticate']).toBe('Bearer');
      }
    },
  );

  test('both tokens are accepted during a token change', async () => {
    for (const token of [TOKEN, NEXT_TOKEN]) {
      expect((await post(changes()).set('Authorization', `Bearer ${token}`)).status).toBe(202);
    }
  });

  test('the authorization scheme is accepted in any letter case', async () => {
    expect((await post(changes()).set('Authorization', `bEARER ${TOKEN}`)).status).toBe(202);
  });

  test('a request to an unknown path gets 404, and a wrong method gets 405 and the allowed one', async () => {
    for (const path of ['/', '/ingest/v1/changes/', '/ingest/V1/changes', '/ingest/v1/nothing']) {
      expect([path, (await post(changes(), path)).status]).toEqual([path, 404]);
    }
    const response = await supertest(ingest.app).get('/ingest/v1/changes').set('Authorization', `Bearer ${TOKEN}`);
    expect([response.status, response.body.error.code, response.headers.allow]).toEqual([
      405,
      'method_not_allowed',
      'POST',
    ]);
  });
});

test('a batch that gets a 503 because the database is down is accepted once the database is back', async () => {
  await pool.query(`ALTER TABLE changes RENAME TO changes_away`);
  const broken = await post(changes(item()));
  await pool.query(`ALTER TABLE changes_away RENAME TO changes`);
  expect([broken.status, broken.body.error.code]).toEqual([500, 'internal_error']);

  const away = openTestDatabase(databaseUrl.replace(/:\d+\//, ':9/'));
  const fixture = createIngestFixture(away, clock);
  const response = await supertest(fixture.app)
    .post('/ingest/v1/changes')
    .set('Authorization', `Bearer ${TOKEN}`)
    .send(changes(item()));
  await away.close();
  expect([response.status, response.body.error.code]).toEqual([503, 'service_unavailable']);
  expect(response.headers['retry-after']).toMatch(/^\d+$/);
  expect((await post(changes(item()))).body).toMatchObject({ accepted: 1, duplicates: 0 });
});

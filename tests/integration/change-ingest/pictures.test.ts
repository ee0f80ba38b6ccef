import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PictureSource } from '@artist-watch/catalogue/http/picture-source';
import { startPictureLoop } from '@artist-watch/change-ingest/adapters/picture-loop';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { pictureStore } from '@artist-watch/persistence/change/pictures';
import { prune } from '@artist-watch/persistence/retention';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { openTestDatabase } from './ingest-fixture.js';
import { ARTIST, type WatchedArtist, watchOneArtist } from './watched-artist.js';

const { databaseUrl, pool, onEnd } = await useSuite();
const database = openTestDatabase(databaseUrl);
afterAll(() => database.close());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const pictures = pictureStore(database);

let watched: WatchedArtist;
beforeEach(async () => {
  watched = await watchOneArtist(database);
  await pool.query('TRUNCATE pictures');
});
afterEach(async () => {
  await watched.replica.stop();
  await watched.simulator.stop();
});

const rows = async () =>
  (
    await pool.query(
      'SELECT content_id, problem, tries, next_try_at, octet_length(bytes) AS size FROM pictures ORDER BY 1',
    )
  ).rows;
const due = async () =>
  (await pool.query('SELECT FROM pictures WHERE next_try_at <= $1', [watched.clock.now()])).rowCount;

async function fetchAll(origin: string): Promise<void> {
  const stopping = new AbortController();
  const source = new PictureSource({ origin });
  // The loop finishes its work before it stops, so all results are settled.
  const { signal: never } = new AbortController();
  const fetch: PictureSource['fetch'] = (platform, of, contentId) => source.fetch(platform, of, contentId, never);
  const loop = startPictureLoop({
    ...{ pictures, source: { fetch }, clock: watched.clock, signal: stopping.signal },
    ...{ log: createLogger({ service: 'test', level: 'error' }), metrics: createMetrics({ service: 'test' }) },
  });
  await until('no due picture', async () => (await due()) === 0);
  stopping.abort();
  await loop.done;
  source.close();
}

async function serverOf(
  answers: Readonly<Record<string, { status?: number; headers?: object; body?: Uint8Array | string }>>,
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const id = /[0-9a-f]{32}/.exec(request.url ?? '')?.[0] ?? '';
    asked.push(id);
    const { status = 200, headers = {}, body = '' } = answers[id] ?? { status: 404 };
    response.writeHead(status, { 'Content-Type': 'image/jpeg', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function ask(contentIds: readonly string[]): Promise<void> {
  await pool.query(
    `INSERT INTO pictures (platform, entity_type, content_id, named_at, next_try_at)
     SELECT 'deezer', 'release', id, $2, $2 FROM unnest($1::text[]) AS id`,
    [contentIds, watched.clock.now()],
  );
}

test('when a picture change is confirmed, the old and the new picture are fetched from the platform and stored', async () => {
  const { replica, simulator, releases } = watched;
  await replica.pass(HOUR_MS);
  expect(await rows()).toEqual([]);
  const [release = ''] = releases;
  const before = simulator.state.known('release', release).artworkId;
  simulator.state.changeRelease(release, { artworkId: '0'.repeat(31).concat('7') });
  simulator.state.changeArtist(ARTIST, { imageId: '0'.repeat(31).concat('8') });
  await replica.pass(2 * HOUR_MS);
  expect(await rows()).toHaveLength(4);
  await fetchAll(simulator.url);
  for (const { problem, tries, next_try_at: nextTryAt, size } of await rows()) {
    expect([problem, tries, nextTryAt, size > 100]).toEqual([null, 1, null, true]);
  }
  const kept = await pictures.read({ platform: 'deezer', of: 'release', contentId: before });
  expect(kept?.type).toBe('image/png');
  expect(await pictures.read({ platform: 'deezer', of: 'artist', contentId: before })).toBeUndefined();
});

test('the cover of a removed release is requested at the confirmation', async () => {
  const { replica, simulator, releases } = watched;
  await replica.pass(HOUR_MS);
  const [release = ''] = releases;
  const { artworkId } = simulator.state.known('release', release);
  simulator.state.changeRelease(release, { removed: true });
  await replica.pass(2 * HOUR_MS);
  expect((await rows()).map(({ content_id: id }) => id)).toEqual([artworkId]);
});

test('a picture that is too large, compressed, redirected, missing or of a wrong type is tried six times and never stored', async () => {
  const ids = Object.fromEntries(
    ['html', 'svg', 'packed', 'large', 'elsewhere', 'gone', 'broken'].map((name, index) => [
      name,
      String(index).repeat(32),
    ]),
  );
  const jpeg = Buffer.from('ffd8ffc000110800c800c803ffd9', 'hex');
  const { asked, origin } = await serverOf({
    [ids.html as string]: { body: '<!doctype html><script>alert(1)</script>' },
    [ids.svg as string]: {
      headers: { 'Content-Type': 'image/svg+xml' },
      body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    },
    [ids.packed as string]: { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(jpeg) },
    [ids.large as string]: { body: Buffer.concat([jpeg, Buffer.alloc(1024 * 1024)]) },
    [ids.elsewhere as string]: { status: 302, headers: { Location: 'http://169.254.169.254/latest' } },
    [ids.broken as string]: { status: 503 },
  });
  await ask([...Object.values(ids), '../secret']);
  for (let hours = 0; hours <= 40; hours += 1) {
    await fetchAll(origin);
    watched.clock.advance(HOUR_MS);
  }
  const left = await rows();
  expect(Object.fromEntries(left.map(({ content_id: id, problem, tries }) => [id, `${problem} ${tries}`]))).toEqual({
    ...{ [ids.html as string]: 'not_a_picture 6', [ids.svg as string]: 'not_a_picture 6' },
    ...{ [ids.packed as string]: 'not_a_picture 6', [ids.large as string]: 'too_large 6' },
    ...{ [ids.elsewhere as string]: 'unreachable 6', [ids.gone as string]: 'absent 6' },
    ...{ [ids.broken as string]: 'unreachable 6', '../secret': 'unknown_id 1' },
  });
  for (const { size, next_try_at: nextTryAt } of left) expect([size, nextTryAt]).toEqual([null, null]);
  expect(asked).toHaveLength(7 * 6);
});

test("a picture is deleted when every change that refers to it is older than any plan's history", async () => {
  await ask(['a'.repeat(32), 'b'.repeat(32)]);
  const day = (days: number) => new Date(watched.clock.now().getTime() - days * 24 * HOUR_MS);
  await pool.query('UPDATE pictures SET named_at = CASE WHEN content_id LIKE $1 THEN $2 ELSE $3 END::timestamptz', [
    ...['a%', day(731), day(729)],
  ]);
  expect(await prune(pool, { now: watched.clock.now() })).toMatchObject({ pictures: 1 });
  expect((await rows()).map(({ content_id: id }) => id[0])).toEqual(['b']);
});

test("another process fetches a killed process's picture, and two processes never fetch the same one", async () => {
  await ask(['a'.repeat(32), 'b'.repeat(32)]);
  const claim = () => pictures.claim({ limit: 2, leaseMs: MINUTE_MS, now: watched.clock.now() });
  const claimed = (await Promise.all([claim(), claim(), claim()])).flat();
  expect(claimed.map(({ contentId }) => contentId[0]).sort()).toEqual(['a', 'b']);
  watched.clock.advance(MINUTE_MS);
  expect((await claim()).map(({ tries }) => tries)).toEqual([2, 2]);
});

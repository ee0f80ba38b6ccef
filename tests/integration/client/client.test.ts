import { compose } from '@artist-watch/api/compose';
import { readConfig } from '@artist-watch/api/config';
import { ArtistWatchClient, ArtistWatchError } from '@artist-watch/client';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const redis = new Redis(suite.redisUrl);
suite.onEnd(() => redis.quit());

/** Counts requests and closes every connection. */
function clientOf(apiKey: string, options: Partial<ConstructorParameters<typeof ArtistWatchClient>[0]> = {}) {
  const requests: string[] = [];
  const client = new ArtistWatchClient({
    baseUrl: `http://127.0.0.1:${api.port}/v1/`,
    apiKey,
    fetch: (input, init) => {
      requests.push(`${init?.method} ${String(input).slice(String(input).indexOf('/v1'))}`);
      return fetch(input, { ...init, headers: { ...init?.headers, Connection: 'close' } });
    },
    ...options,
  });
  return { client, requests };
}

describe('the client', () => {
  test('the client reads all pages of changes automatically and stops when its caller stops', async () => {
    const { accountId, key } = await seedAccount(pool);
    const artistId = await seedWatchedArtist(pool, accountId);
    const now = Date.now();
    const ids = await seedFeed(
      pool,
      accountId,
      artistId,
      Array.from({ length: 450 }, (_, n) => new Date(now - n * 1_000)),
    );
    const { client, requests } = clientOf(key);
    const seen: string[] = [];
    for await (const change of client.changes({ since: new Date(now - 3_600_000).toISOString() })) seen.push(change.id);
    expect(seen).toEqual(ids);
    expect(requests).toHaveLength(3);
    for await (const change of client.changes({ limit: 1 })) {
      expect(change.id).toBe(ids[0]);
      break;
    }
    expect(requests).toHaveLength(4);
    // A list is sent as a repeated parameter, and the cursor keeps it for the next page.
    for await (const change of client.changes({ type: ['label_changed', 'release_removed'], limit: 1 })) {
      if (change.id === ids[1]) break;
      expect(change.id).toBe(ids[0]);
    }
    expect(requests).toHaveLength(6);
  });

  test('the client reads all pages after a cursor and keeps its filters', async () => {
    const { accountId, key } = await seedAccount(pool);
    const artistId = await seedWatchedArtist(pool, accountId);
    const { client } = clientOf(key);
    const { next_cursor: after } = await client.call('listChanges', { query: { after: 'now' } });
    const ids = await seedFeed(pool, accountId, artistId, [new Date(), new Date(), new Date()]);
    await pool.query("UPDATE changes SET type = 'label_changed' WHERE id = $1", [ids[1]]);
    const query = { after: after as string, type: ['release_removed'], limit: 1 };
    await until('the changes', async () => (await client.call('listChanges', { query })).data.length > 0);
    const seen: string[] = [];
    for await (const { id } of client.changes(query)) seen.push(id);
    expect(seen.sort()).toEqual([ids[0], ids[2]].sort());
  });

  test('the client reads an export line by line in one request, until its end or until the caller stops', async () => {
    const { accountId, key } = await seedAccount(pool);
    const artistId = await seedWatchedArtist(pool, accountId);
    const instants = Array.from({ length: 2_500 }, (_, n) => new Date(Date.now() - n * 1_000));
    const ids = await seedFeed(pool, accountId, artistId, instants);
    const { client, requests } = clientOf(key);
    const seen: string[] = [];
    for await (const { id } of client.exportChanges({ type: ['release_removed', 'label_changed'] })) seen.push(id);
    expect(seen).toEqual(ids);
    for await (const { id, before, release_id } of client.exportChanges()) {
      expect([id, before, release_id]).toEqual([ids[0], null, null]);
      break;
    }
    expect(requests).toHaveLength(2);
    await expect(clientOf('aw_live_x').client.exportChanges().next()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('the client throws if an export breaks off or stalls', async () => {
    const { accountId, key } = await seedAccount(pool);
    await seedFeed(pool, accountId, await seedWatchedArtist(pool, accountId), [new Date(), new Date()]);
    /** `end` determines how the body ends after the first line. */
    const cutShort = (end: (controller: ReadableStreamDefaultController) => void) =>
      clientOf(key, {
        timeoutMs: 200,
        fetch: async (input, init) => {
          const response = await fetch(input, { ...init, headers: { ...init?.headers, Connection: 'close' } });
          const line = `${(await response.text()).split('\n')[0]}\n`;
          const start = (controller: ReadableStreamDefaultController) => {
            init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
            controller.enqueue(Buffer.from(line));
          };
          return new Response(new ReadableStream({ start, pull: end }, { highWaterMark: 0 }));
        },
      }).client.exportChanges();
    const broken = cutShort((controller) => controller.error(new TypeError('terminated')));
    expect((await broken.next()).done).toBe(false);
    await expect(broken.next()).rejects.toThrow('terminated');
    const silent = cutShort(() => undefined);
    expect((await silent.next()).done).toBe(false);
    await expect(silent.next()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('the client accepts and returns the documented values', async () => {
    const { key } = await seedAccount(pool);
    const { client } = clientOf(key);
    const artist = await client.call('watchArtist', { body: { platform_id: '27' } });
    expect((await client.call('listArtists')).data).toEqual([artist]);
    expect((await client.call('readUsage')).artists.used).toBe(1);
    expect(await client.call('unwatchArtist', { path: { id: artist.id } })).toBeUndefined();
    const destination = await client.call('createDestination', {
      body: { url: 'https://receiver.example/', secret: null },
    });
    expect(destination.signed).toBe(false);
    const delivery = await client.call('testDestination', { path: { id: destination.id } });
    for await (const listed of client.deliveries({ destination: destination.id })) expect(listed.id).toBe(delivery.id);
  });

  test("the client throws the API's error", async () => {
    const { key } = await seedAccount(pool);
    const { client } = clientOf(key);
    const failure = await client.call('showDelivery', { path: { id: 'dlv_../x' } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ArtistWatchError);
    expect(failure).toMatchObject({ status: 404, code: 'not_found', requestId: expect.stringMatching(/.+/) });
    await expect(clientOf('aw_live_x').client.call('readUsage')).rejects.toMatchObject({
      status: 401,
      code: 'unauthorized',
    });
  });

  test('the client waits for the time in Retry-After, then gets its response', async () => {
    const { accountId, key } = await seedAccount(pool, 'free');
    await redis.set(`artist-watch:requests:${accountId}`, 60, 'PX', 900);
    const { client, requests } = clientOf(key);
    expect((await client.call('readUsage')).plan).toBe('free');
    expect(requests).toHaveLength(2);
  });

  test('the client waits neither for an hour nor longer than its caller allows', async () => {
    const { accountId, key } = await seedAccount(pool, 'free');
    await redis.set(`artist-watch:requests:${accountId}`, 60, 'EX', 3_000);
    await expect(clientOf(key).client.call('readUsage')).rejects.toMatchObject({ code: 'rate_limited' });
    const { client } = clientOf(key, { maxWaitMs: 4_000_000 });
    const signal = AbortSignal.timeout(50);
    await expect(client.call('readUsage', {}, { signal })).rejects.toBe(await abortReason(signal));
  });

  test('the client makes a call with an idempotency key once, even if its response is lost', async () => {
    const { key } = await seedAccount(pool);
    let lost = 0;
    const { client } = clientOf(key, {
      fetch: async (input, init) => {
        const response = await fetch(input, { ...init, headers: { ...init?.headers, Connection: 'close' } });
        if (init?.method !== 'POST' || lost > 0) return response;
        lost += 1;
        await response.arrayBuffer();
        throw new TypeError('fetch failed');
      },
    });
    const made = await client.call('createDestination', { body: { url: 'https://receiver.example/' } });
    const { data } = await client.call('listDestinations');
    expect([lost, data.map(({ id }) => id)]).toEqual([1, [made.id]]);
  });
});

async function abortReason(signal: AbortSignal): Promise<unknown> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return signal.reason;
}

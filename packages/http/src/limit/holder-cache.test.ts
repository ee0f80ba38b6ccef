import { createHash } from 'node:crypto';
import type { Principal } from '@artist-watch/domain/account/actor';
import { Gate, GateFull } from '@artist-watch/runtime/gate';
import { describe, expect, test } from '@jest/globals';
import { DirectoryUnavailable, HolderCache } from './holder-cache.js';

const principal = { keyId: 'key_1', accountId: 'acc_1', plan: 'pro' } as unknown as Principal;

function directory(find: (digest: Uint8Array) => Promise<Principal | undefined>, { maxKeys = 100 } = {}) {
  const asked: Uint8Array[] = [];
  const time = { ms: 0 };
  const keys = new HolderCache({
    directory: {
      findHolder(digest) {
        asked.push(digest);
        return find(digest);
      },
    },
    maxAgeMs: 750,
    maxKeys,
    unknownSecrets: new Gate({ maxRunning: 2, maxWaiting: 3, maxWaitMs: 60_000 }),
    monotonicMs: () => time.ms,
  });
  return { keys, asked, time };
}

describe('HolderCache', () => {
  test('a key is looked up only by its SHA-256 digest', async () => {
    const { keys, asked } = directory(async () => principal);
    expect(await keys.findHolder('secret')).toBe(principal);
    expect(asked[0]).toEqual(createHash('sha256').update('secret').digest());
  });

  test('a revoked key is rejected no later than 750 ms after the start of its last lookup', async () => {
    let answer: (found: Principal | undefined) => void = () => undefined;
    const { keys, time } = directory(() => new Promise((resolve) => (answer = resolve)));
    const first = keys.findHolder('secret');
    time.ms = 400;
    answer(principal);
    await first;
    time.ms = 749;
    expect(await keys.findHolder('secret')).toBe(principal);
    time.ms = 750;
    const again = keys.findHolder('secret');
    answer(undefined);
    expect(await again).toBeUndefined();
  });

  test('a key is looked up only once for concurrent requests and later ones', async () => {
    const { keys, asked } = directory(async () => principal);
    await Promise.all(Array.from({ length: 50 }, () => keys.findHolder('secret')));
    await keys.findHolder('secret');
    expect(asked).toHaveLength(1);
  });

  test('a key in use is refreshed once in the background before its cache entry expires, without delaying requests', async () => {
    const answers: Array<(found: Principal | undefined) => void> = [];
    const { keys, asked, time } = directory(() => new Promise((resolve) => answers.push(resolve)));
    const first = keys.findHolder('secret');
    answers.shift()?.(principal);
    await first;
    time.ms = 499;
    await keys.findHolder('secret');
    expect(asked).toHaveLength(1);
    time.ms = 500;
    expect(await keys.findHolder('secret')).toBe(principal);
    expect(await keys.findHolder('secret')).toBe(principal);
    expect(asked).toHaveLength(2);
    answers.shift()?.(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await keys.findHolder('secret')).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test('a key whose background refresh fails stays valid until its cache entry expires, and the next request tries again', async () => {
    let away = false;
    const { keys, asked, time } = directory(async () => {
      if (away) throw new Error('gone');
      return principal;
    });
    await keys.findHolder('secret');
    away = true;
    time.ms = 600;
    expect(await keys.findHolder('secret')).toBe(principal);
    await new Promise((resolve) => setImmediate(resolve));
    away = false;
    time.ms = 700;
    expect(await keys.findHolder('secret')).toBe(principal);
    expect(asked).toHaveLength(3);
    time.ms = 1_199;
    expect(await keys.findHolder('secret')).toBe(principal);
  });

  test('a key that does not exist is not looked up again by the next request', async () => {
    const { keys, asked } = directory(async () => undefined);
    await keys.findHolder('secret');
    expect(await keys.findHolder('secret')).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('a key with an expired cache entry is rejected while the directory is unavailable, and the error contains the last holder of the key', async () => {
    let away = false;
    const { keys, time } = directory(async () => {
      if (away) throw new Error('gone');
      return principal;
    });
    await keys.findHolder('secret');
    away = true;
    time.ms = 800;
    const failure = await keys.findHolder('secret').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DirectoryUnavailable);
    expect(failure).toMatchObject({ lastHolder: principal });
    away = false;
    expect(await keys.findHolder('secret')).toBe(principal);
  });
});

describe('made-up keys', () => {
  const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex');

  test('concurrent lookups of made-up keys are limited, and once the queue is full, further requests are rejected', async () => {
    const answers: Array<() => void> = [];
    const { keys, asked } = directory(() => new Promise((resolve) => answers.push(() => resolve(undefined))));
    const requests = Array.from({ length: 10 }, (_, index) => keys.findHolder(`made up ${index}`));
    const outcomes = Promise.allSettled(requests);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(2);
    const ended = requests.map((request) => request.then(() => undefined).catch((error: unknown) => error));
    const refused = await Promise.all(ended.slice(5));
    expect(refused.map((error) => [error, (error as Error).cause])).toEqual(
      refused.map(() => [expect.any(DirectoryUnavailable), expect.any(GateFull)]),
    );
    while (asked.length < 5 || answers.length > 0) {
      answers.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await outcomes).map(({ status }) => status)).toEqual([
      ...Array(5).fill('fulfilled'),
      ...Array(5).fill('rejected'),
    ]);
  });

  test('made-up keys do not delay requests with a key that was valid at its last lookup', async () => {
    const real = digestOf('real');
    let silent = false;
    const answers: Array<() => void> = [];
    const { keys, time } = directory((digest) =>
      Buffer.from(digest).toString('hex') === real || !silent
        ? Promise.resolve(principal)
        : new Promise((resolve) => answers.push(() => resolve(undefined))),
    );
    await keys.findHolder('real');
    silent = true;
    const forged = Array.from({ length: 5 }, (_, index) => keys.findHolder(`made up ${index}`));
    time.ms = 10_000;
    expect(await keys.findHolder('real')).toBe(principal);
    for (let ended = 0; ended < forged.length; ) {
      if (answers.length > 0) ended += 1;
      answers.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(forged);
  });

  test('made-up keys never displace a valid key from the cache', async () => {
    const real = digestOf('real');
    const { keys, asked } = directory(
      async (digest) => (Buffer.from(digest).toString('hex') === real ? principal : undefined),
      { maxKeys: 3 },
    );
    await keys.findHolder('real');
    for (let index = 0; index < 10; index += 1) await keys.findHolder(`made up ${index}`);
    const before = asked.length;
    expect(await keys.findHolder('real')).toBe(principal);
    expect(asked).toHaveLength(before);
  });
});

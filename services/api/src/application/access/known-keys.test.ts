import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Identity } from './identity.js';
import { KeyDirectoryAway, KnownKeys } from './known-keys.js';

const holder = { keyId: 'key_1', accountId: 'acc_1', plan: 'pro' } as unknown as Identity;

function directory(find: () => Promise<Identity | undefined>) {
  const asked: Uint8Array[] = [];
  const time = { ms: 0 };
  const keys = new KnownKeys({
    directory: {
      findHolder(digest) {
        asked.push(digest);
        return find();
      },
    },
    maxAgeMs: 750,
    maxKeys: 100,
    monotonicMs: () => time.ms,
  });
  return { keys, asked, time };
}

describe('a key', () => {
  test('is looked up by its SHA-256 and nothing else', async () => {
    const { keys, asked } = directory(async () => holder);
    expect(await keys.holderOf('secret')).toBe(holder);
    expect(asked[0]).toEqual(createHash('sha256').update('secret').digest());
  });

  test('that was revoked is refused when what was known is 750 ms old, counted from the question', async () => {
    let answer: (found: Identity | undefined) => void = () => undefined;
    const { keys, time } = directory(() => new Promise((resolve) => (answer = resolve)));
    const first = keys.holderOf('secret');
    time.ms = 400;
    answer(holder);
    await first;
    time.ms = 749;
    expect(await keys.holderOf('secret')).toBe(holder);
    time.ms = 750;
    const again = keys.holderOf('secret');
    answer(undefined);
    expect(await again).toBeUndefined();
  });

  test('is looked up once for requests that come together, and once for those that follow', async () => {
    const { keys, asked } = directory(async () => holder);
    await Promise.all(Array.from({ length: 50 }, () => keys.holderOf('secret')));
    await keys.holderOf('secret');
    expect(asked).toHaveLength(1);
  });

  test('that is in use is looked up again before what is known is too old, once, and nobody waits for it', async () => {
    const answers: Array<(found: Identity | undefined) => void> = [];
    const { keys, asked, time } = directory(() => new Promise((resolve) => answers.push(resolve)));
    const first = keys.holderOf('secret');
    answers.shift()?.(holder);
    await first;
    time.ms = 499;
    await keys.holderOf('secret');
    expect(asked).toHaveLength(1);
    time.ms = 500;
    expect(await keys.holderOf('secret')).toBe(holder);
    expect(await keys.holderOf('secret')).toBe(holder);
    expect(asked).toHaveLength(2);
    answers.shift()?.(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await keys.holderOf('secret')).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test('whose early look-up fails is believed to its age, and looked up again', async () => {
    let away = false;
    const { keys, asked, time } = directory(async () => {
      if (away) throw new Error('gone');
      return holder;
    });
    await keys.holderOf('secret');
    away = true;
    time.ms = 600;
    expect(await keys.holderOf('secret')).toBe(holder);
    await new Promise((resolve) => setImmediate(resolve));
    away = false;
    time.ms = 700;
    expect(await keys.holderOf('secret')).toBe(holder);
    expect(asked).toHaveLength(3);
    time.ms = 1_199;
    expect(await keys.holderOf('secret')).toBe(holder);
  });

  test('that nobody holds is not looked up again at once', async () => {
    const { keys, asked } = directory(async () => undefined);
    await keys.holderOf('secret');
    expect(await keys.holderOf('secret')).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('is not believed beyond its age while the directory is away, and who held it last is told', async () => {
    let away = false;
    const { keys, time } = directory(async () => {
      if (away) throw new Error('gone');
      return holder;
    });
    await keys.holderOf('secret');
    away = true;
    time.ms = 800;
    const failure = await keys.holderOf('secret').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KeyDirectoryAway);
    expect(failure).toMatchObject({ lastHolder: holder });
    away = false;
    expect(await keys.holderOf('secret')).toBe(holder);
  });
});

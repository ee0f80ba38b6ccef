import { beforeEach, describe, expect, test } from '@jest/globals';
import { NameServers } from './name-servers.js';

const ROOT = '.';
const zones = ['a.test', 'b.test', 'c.test', 'd.test'];

let nowMs: number;
/** Names that fail; `*`: all, but for the root. */
let broken: Set<string>;
let asked: string[];
let servers: NameServers;

beforeEach(() => {
  nowMs = 0;
  broken = new Set();
  asked = [];
  servers = new NameServers({
    monotonicMs: () => nowMs,
    async resolve(name) {
      asked.push(name);
      if (broken.has(name) || (broken.has('*') && name !== ROOT)) throw new Error('SERVFAIL');
      return [];
    },
  });
});

async function answer(...names: readonly string[]): Promise<void> {
  for (const name of names) servers.answered(name);
  // The first one has the root asked for.
  await Promise.resolve();
  asked = [];
  nowMs += 60_000;
}

async function fail(...names: readonly string[]): Promise<boolean[]> {
  const verdicts = [];
  for (const name of names) {
    verdicts.push(await servers.areLostWith(name));
    nowMs += 10_000;
  }
  return verdicts;
}

describe('name servers that are silent', () => {
  beforeEach(() => {
    broken.clear();
  });

  test('are to blame as soon as one name fails, and be it the only one that they ever answered', async () => {
    await answer('a.test');
    broken = new Set(['*', ROOT]);
    expect(await fail('a.test', 'new.test', 'hook.a.test')).toEqual([true, true, true]);
  });

  test('are not vouched for by names that need no name server', async () => {
    await answer('a.test', 'x.invalid', 'y.localhost', 'hosts');
    broken = new Set(['a.test', ROOT]);
    expect(await fail('a.test')).toEqual([true]);
    expect(asked).toEqual([ROOT]);
  });

  test('are cleared by an answer', async () => {
    await answer('a.test');
    broken = new Set(['*', ROOT]);
    expect(await fail('a.test')).toEqual([true]);
    servers.answered('b.test');
    expect(await fail('a.test')).toEqual([false]);
  });

  test('and come back while they are asked are not to blame', async () => {
    await answer('a.test');
    broken = new Set(['*', ROOT]);
    const verdict = servers.areLostWith('b.test');
    servers.answered('c.test');
    expect(await verdict).toBe(false);
  });
});

describe('name servers that answer for the root', () => {
  test('are not to blame for any number of names of a broken zone, nor of two, known or not', async () => {
    const hooks = Array.from({ length: 20 }, (_, index) => `hook-${index}.${index % 2 ? 'broken.com' : 'broken.net'}`);
    await answer(...hooks);
    broken = new Set(hooks);
    expect(await fail(...hooks, 'new.broken.com', ...hooks)).toEqual(Array(41).fill(false));
  });

  test('are not to blame when another zone is answered, though nobody sends there', async () => {
    const hooks = zones.flatMap((zone) => [`one.${zone}`, `two.${zone}`]);
    await answer(...hooks, 'hook.well.test');
    broken = new Set(hooks);
    // Three other zones that fail come to be asked together at first, and one by one give way to those that answer.
    expect((await fail(...hooks, ...hooks)).slice(-hooks.length)).toEqual(Array(hooks.length).fill(false));
  });

  test('are to blame when three other zones fail too: they have lost their own way', async () => {
    await answer(...zones);
    broken.add('*');
    expect(await fail('new.example.test', ...zones)).toEqual(Array(5).fill(true));
  });

  test('are asked for zones that were answered the longest ago, and then for others', async () => {
    await answer(...zones, 'e.test', 'f.test', 'g.test');
    broken.add('*');
    await fail('new.test', 'new.test', 'new.test');
    const [a, b, c, d] = zones;
    expect(asked).toEqual([ROOT, a, b, c, ROOT, d, 'e.test', 'f.test', ROOT, 'g.test', a, b]);
  });

  test('are not asked for every name that fails', async () => {
    await answer(...zones);
    broken.add('e.test');
    for (let name = 0; name < 100; name += 1) await servers.areLostWith('e.test');
    expect(asked).toHaveLength(4);
    nowMs += 60_000;
    broken.add('*');
    for (let name = 0; name < 100; name += 1) await servers.areLostWith('e.test');
    expect(asked).toHaveLength(8);
  });
});

describe('name servers that never answer for the root', () => {
  beforeEach(() => {
    broken.add(ROOT);
  });

  test('are to blame when another zone fails too', async () => {
    await answer('a.test', 'b.test');
    broken.add('*');
    expect(await fail('a.test', 'b.test')).toEqual([true, true]);
  });

  test('are not to blame when another zone is answered', async () => {
    await answer('a.test', 'b.test');
    broken.add('a.test');
    expect(await fail('a.test', 'a.test')).toEqual([false, false]);
  });

  test('are not to blame for the only zone that they ever answered, nor when they never did: there may be none', async () => {
    broken.add('*');
    expect(await fail('a.test', 'b.test', 'c.test')).toEqual([false, false, false]);
    await answer('a.test', 'hook.a.test');
    expect(await fail('a.test')).toEqual([false]);
  });
});

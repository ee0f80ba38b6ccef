import { beforeEach, describe, expect, test } from '@jest/globals';
import { NameServers } from './name-servers.js';

let nowMs: number;
/** Names that fail; `*`: all. */
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
      if (broken.has('*') || broken.has(name)) throw new Error('SERVFAIL');
      return [];
    },
  });
});

function answer(...names: readonly string[]): void {
  for (const name of names) servers.answered(name);
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

describe('name servers', () => {
  test('are to blame as soon as one name fails and the others do too', async () => {
    answer('a', 'b', 'c');
    broken.add('*');
    expect(await fail('a', 'b', 'new', 'c', 'a')).toEqual([true, true, true, true, true]);
  });

  test('are not to blame for any number of names when another one is answered, though nobody sends there', async () => {
    const zone = Array.from({ length: 20 }, (_, index) => `hook-${index}.broken.test`);
    answer(...zone, 'hook.well.test');
    broken = new Set(zone);
    expect(await fail(...zone, ...zone)).toEqual(Array(40).fill(false));
  });

  test('are asked for names that were answered the longest ago, and then for others', async () => {
    answer('a', 'b', 'c', 'd', 'e', 'f', 'g');
    broken.add('*');
    await fail('new', 'new', 'new');
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a', 'b']);
  });

  test('are not to blame for the only name that they ever answered, nor when they never did: there may be none', async () => {
    broken.add('*');
    expect(await fail('a', 'b', 'c', 'd', 'e', 'f')).toEqual(Array(6).fill(false));
    answer('a');
    expect(await fail('a')).toEqual([false]);
  });

  test('are asked for a name of the same zone where there is no other', async () => {
    answer('hook-1.broken.test', 'hook-2.broken.test');
    broken.add('hook-1.broken.test');
    expect(await fail('hook-1.broken.test')).toEqual([false]);
    broken.add('*');
    expect(await fail('hook-1.broken.test')).toEqual([true]);
  });

  test('are cleared by an answer', async () => {
    answer('a', 'b');
    broken.add('*');
    expect(await fail('c')).toEqual([true]);
    servers.answered('b');
    expect(await fail('c')).toEqual([false]);
  });

  test('are not asked for every name that fails', async () => {
    answer('a', 'b');
    broken.add('c');
    for (let name = 0; name < 100; name += 1) await servers.areLostWith('c');
    expect(asked).toEqual(['a', 'b']);

    nowMs += 60_000;
    broken.add('*');
    for (let name = 0; name < 100; name += 1) await servers.areLostWith('c');
    expect(asked).toEqual(['a', 'b', 'a', 'b']);
  });

  test('that have come back while they were asked are not to blame', async () => {
    answer('a', 'b');
    broken.add('*');
    const verdict = servers.areLostWith('c');
    servers.answered('d');
    expect(await verdict).toBe(false);
  });
});

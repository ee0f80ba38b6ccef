import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { until } from '../harness/until.js';

const lockModule = new URL('../../tools/setup/lock.mjs', import.meta.url).href;
const timeoutMs = 30_000;

let directory: string;
let journal: string;
let lock: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-lock-'));
  journal = path.join(directory, 'journal');
  lock = path.join(directory, 'lock');
  await writeFile(journal, '');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** The process takes the lock, works for a while, and logs the start and the end of its work. */
function worker(name: string, durationMs: number): ChildProcess {
  const source = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { withLock } from ${JSON.stringify(lockModule)};
    await withLock(${JSON.stringify(lock)}, () => {}, async () => {
      appendFileSync(${JSON.stringify(journal)}, '${name} begins\\n');
      await sleep(${durationMs});
      appendFileSync(${JSON.stringify(journal)}, '${name} ends\\n');
    });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function lines(): Promise<string[]> {
  return (await readFile(journal, 'utf8')).split('\n').filter(Boolean);
}

test(
  'only one of several processes works at a time, and the others wait for the lock',
  async () => {
    const workers = ['a', 'b', 'c', 'd', 'e'].map((name) => worker(name, 50));
    await Promise.all(workers.map((child) => once(child, 'exit')));
    const written = await lines();
    expect(written).toHaveLength(10);
    for (let index = 0; index < written.length; index += 2) {
      expect(written[index + 1]).toBe(written[index]?.replace('begins', 'ends'));
    }
  },
  timeoutMs,
);

test(
  'exactly one waiting process takes over the lock of a killed one',
  async () => {
    const killed = worker('killed', 60_000);
    await until('the process to hold the lock', async () => (await lines()).includes('killed begins'));
    const waiting = ['a', 'b', 'c'].map((name) => worker(name, 50));
    const exits = waiting.map((child) => once(child, 'exit'));
    killed.kill('SIGKILL');
    await Promise.all(exits);
    const written = (await lines()).slice(1);
    expect(written).toHaveLength(6);
    for (let index = 0; index < written.length; index += 2) {
      expect(written[index + 1]).toBe(written[index]?.replace('begins', 'ends'));
    }
  },
  timeoutMs,
);

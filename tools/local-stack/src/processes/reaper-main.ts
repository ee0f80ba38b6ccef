import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, startTimeOf } from './process-identity.js';
import type { ReaperOrder } from './reaper.js';

const gracePeriodMs = 5_000;
const pollMs = 25;

const startTimes = new Map<number, string | undefined>();
const directories = new Set<string>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', (order: ReaperOrder) => {
  switch (order.kind) {
    case 'watch-process':
      startTimes.set(order.pid, startTimeOf(order.pid));
      return;
    case 'forget-process':
      startTimes.delete(order.pid);
      return;
    case 'watch-directory':
      directories.add(order.directory);
      return;
    case 'forget-directory':
      directories.delete(order.directory);
      return;
  }
});

process.once('disconnect', () => {
  void reap().finally(() => process.exit(0));
});

async function reap(): Promise<void> {
  // SIGINT stops Redis and triggers a fast shutdown of PostgreSQL.
  signalAll('SIGINT');
  const deadline = Date.now() + gracePeriodMs;
  while (survivors().length > 0 && Date.now() < deadline) await sleep(pollMs);
  signalAll('SIGKILL');
  while (survivors().length > 0 && Date.now() < deadline + gracePeriodMs) await sleep(pollMs);
  for (const directory of directories) {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 }).catch(() => undefined);
  }
}

function survivors(): number[] {
  return [...startTimes]
    .filter(([pid, startTime]) => isRunning(pid) && startTimeOf(pid) === startTime)
    .map(([pid]) => pid);
}

function signalAll(signal: NodeJS.Signals): void {
  for (const pid of survivors()) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already exited.
    }
  }
}

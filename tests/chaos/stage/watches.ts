import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_KEY_PREFIX, DELIVERY_QUEUE } from '@artist-watch/delivery/queue/delivery-queue';
import type { Redis } from 'ioredis';
import type { Ledger } from '../ledger/ledger.js';

const loadEveryMs = 1_000;

/** Returns the machine's maximum load average, including other work. */
export function watchLoad(signal: AbortSignal): { most(): number } {
  let most = 0;
  const look = () => {
    most = Math.max(most, loadavg()[0] ?? 0);
  };
  look();
  const timer = setInterval(look, loadEveryMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return { most: () => most };
}

const lookEveryMs = 200;
/** If jobs wait for this long while nothing is sent, they are stuck, which excuses no late attempt. */
const noProgressMs = 2_000;

/** Records the periods in which the queue was never empty while other jobs were being sent. */
export async function watchBacklog(redis: Redis, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const key = `${DEFAULT_KEY_PREFIX}:${DELIVERY_QUEUE}`;
  const jobsWaiting = () => redis.llen(`${key}:wait`);
  let since: number | undefined;
  let sent = 0;
  let progressAtMs = Date.now();
  const end = () => {
    if (since !== undefined) ledger.backlogs.push({ fromMs: since, untilMs: Date.now() });
    since = undefined;
  };
  while (!signal.aborted) {
    const waiting = await jobsWaiting().catch(() => 0);
    if (ledger.seen.length > sent) progressAtMs = Date.now();
    sent = ledger.seen.length;
    if (waiting > 0 && Date.now() - progressAtMs < noProgressMs) since ??= Date.now();
    else end();
    await sleep(lookEveryMs);
  }
  end();
}

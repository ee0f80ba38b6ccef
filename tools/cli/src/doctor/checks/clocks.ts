import type { Database } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Redis } from 'ioredis';
import { type Finding, fault, ok, warning } from '../finding.js';

/** Healthy machines are closer than this … */
const NOTICEABLE_MS = 1_000;
/** … and this far apart jobs wake at the wrong time. */
const HARMFUL_MS = 5_000;

/** The clock of the record decides when deliveries are due (docs/adr/0043): all others should agree with it. */
export async function examineClocks(clock: Clock, database: Database, redis: Redis | undefined): Promise<Finding[]> {
  // A first question would measure the making of a connection too.
  await database.ping();
  const machine = await differenceOf('clock.machine', 'This machine', clock, async () => {
    const { rows } = await database.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    return rows[0]?.now.getTime() ?? Number.NaN;
  });
  if (!redis) return [machine.finding];
  const server = await differenceOf('clock.redis', 'Redis', clock, async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  });
  return [machine.finding, judge('clock.redis', 'Redis', machine.aheadMs - server.aheadMs)];
}

/** By how much this machine is ahead of another one: half of the way there and back is how old the answer is. */
async function differenceOf(check: string, who: string, clock: Clock, ask: () => Promise<number>) {
  const [askedAtMs, askedAt] = [performance.now(), clock.now().getTime()];
  const answered = await ask();
  const aheadMs = askedAt + (performance.now() - askedAtMs) / 2 - answered;
  return { aheadMs, finding: judge(check, who, aheadMs) };
}

function judge(check: string, who: string, aheadMs: number): Finding {
  const distanceMs = Math.abs(aheadMs);
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  if (distanceMs < NOTICEABLE_MS) return ok(check, `${who} and the database agree within 1 s.`);
  const found = `${who} is ${(distanceMs / 1_000).toFixed(1)} s ${direction} the database.`;
  const fix = 'Synchronize both with the same time servers (chrony, systemd-timesyncd).';
  return distanceMs < HARMFUL_MS ? warning(check, found, fix) : fault(check, found, fix);
}

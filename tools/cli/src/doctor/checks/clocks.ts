import type { Database } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Redis } from 'ioredis';
import { type Finding, fault, ok, warning } from '../finding.js';

/** Synchronized clocks differ by less than this. */
const WARNING_MS = 1_000;
/** If the difference is larger than this, jobs run at the wrong time. */
const FAULT_MS = 5_000;

/** Deliveries become due according to PostgreSQL's clock (docs/adr/0043). */
export async function examineClocks(clock: Clock, database: Database, redis: Redis | undefined): Promise<Finding[]> {
  // Connects first, so that the time spent connecting isn't measured.
  await database.ping();
  const machine = await measure('clock.machine', 'this machine', clock, async () => {
    const { rows } = await database.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    return rows[0]?.now.getTime() ?? Number.NaN;
  });
  if (!redis) return [machine.finding];
  const server = await measure('clock.redis', 'Redis', clock, async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  });
  return [machine.finding, judge('clock.redis', 'Redis', machine.aheadMs - server.aheadMs)];
}

/** Assumes that the server read its clock halfway through the round trip. */
async function measure(check: string, who: string, clock: Clock, readServerMs: () => Promise<number>) {
  const [startMs, startedAt] = [performance.now(), clock.now().getTime()];
  const serverMs = await readServerMs();
  const aheadMs = startedAt + (performance.now() - startMs) / 2 - serverMs;
  return { aheadMs, finding: judge(check, who, aheadMs) };
}

function judge(check: string, who: string, aheadMs: number): Finding {
  const distanceMs = Math.abs(aheadMs);
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  if (distanceMs < WARNING_MS) return ok(check, `The clocks of ${who} and the database agree to within 1 s.`);
  const found = `The clock of ${who} is ${(distanceMs / 1_000).toFixed(1)} s ${direction} that of the database.`;
  const fix = 'Synchronize both clocks with the same time servers (chrony, systemd-timesyncd).';
  return distanceMs < FAULT_MS ? warning(check, found, fix) : fault(check, found, fix);
}

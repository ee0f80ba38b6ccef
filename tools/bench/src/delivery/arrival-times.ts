import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryServers } from './delivery-servers.js';
import { arrivalsAt, reportChanges } from './report-and-receive.js';

export interface SteadyChanges {
  readonly artist: string;
  readonly destinations: number;
  readonly changes: number;
  readonly everyMs: number;
}

const nowMs = () => performance.timeOrigin + performance.now();
const ARRIVAL_TIMEOUT_MS = 120_000;
const CHECK_EVERY_MS = 100;
let reported = 0;

/**
 * @returns the milliseconds from each report until each webhook arrives.
 * @throws if a webhook doesn't arrive.
 */
export async function timeArrivals(
  { ingest, receiver }: DeliveryServers,
  { artist, destinations, changes, everyMs }: SteadyChanges,
): Promise<number[]> {
  await arrivalsAt(receiver);
  const reportedAtMs = new Map<string, number>();
  const reporting: Promise<void>[] = [];
  const startedAtMs = nowMs();
  for (let index = 0; index < changes; index += 1) {
    await sleep(startedAtMs + index * everyMs - nowMs());
    reported += 1;
    const entityId = `timed-${reported}`;
    reportedAtMs.set(entityId, nowMs());
    reporting.push(reportChanges(ingest, [{ artist, entityId }]));
  }
  await Promise.all(reporting);

  const tookMs: number[] = [];
  for (
    const endsAtMs = nowMs() + ARRIVAL_TIMEOUT_MS;
    tookMs.length < changes * destinations;
    await sleep(CHECK_EVERY_MS)
  ) {
    if (nowMs() > endsAtMs) throw new Error(`Only ${tookMs.length} of ${changes * destinations} webhooks arrived.`);
    for (const { entityId, atMs } of await arrivalsAt(receiver)) {
      const from = reportedAtMs.get(entityId);
      if (from !== undefined) tookMs.push(atMs - from);
    }
  }
  return tookMs;
}

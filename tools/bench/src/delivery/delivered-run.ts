import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../processes/bench-servers.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import { clearDeliveries, type DeliveryServers } from './delivery-servers.js';
import { numberedChanges, reportChanges, requestsOf } from './report-and-receive.js';

export interface RunShape {
  /** Destinations that one change goes to, and their artist. */
  readonly artist: string;
  readonly destinations: number;
  readonly changes: number;
  /** Before the workers start; or bit by bit while they deliver. */
  readonly reported: 'before' | 'meanwhile';
}

export interface WorkerPlan {
  readonly name: string;
  readonly settings: Settings;
  /** On the cores of everything else. */
  readonly isBeside: boolean;
}

export interface RunResult {
  readonly deliveriesPerSecond: number;
  /** Of all workers together. */
  readonly workerCpuUsPerDelivery: number;
  /** Share of a core, by process. */
  readonly coreShares: Readonly<Record<string, number>>;
}

/** What is measured lies between these shares of the deliveries: the start and the end are not at full speed. */
const FROM = 0.25;
const TO = 0.95;
const LOOK_EVERY_MS = 50;
const REST_MS = 500;
const TROUBLES_SHOWN = 50;

let runs = 0;

/** Changes that are reported at once, meanwhile. */
const REPORTED_AT_ONCE = 5;

/**
 * Reports changes, starts the workers, and measures while they deliver them.
 *
 * @throws when a delivery was dropped, sent twice, or not recorded.
 */
export async function runDeliveries(
  servers: DeliveryServers,
  { artist, destinations, changes, reported }: RunShape,
  plans: readonly WorkerPlan[],
): Promise<RunResult> {
  const { receiver, ingest } = servers;
  const run = ++runs;
  const total = destinations * changes;
  const before = await requestsAtRest(receiver);
  const attemptsBefore = await servers.attempts();
  const report = (from: number, count: number) =>
    reportChanges(ingest, numberedChanges(artist, `run-${run}`, count, from));
  if (reported === 'before') await report(0, changes);
  const workers: MeasuredProcess[] = [];
  for (const { name, settings, isBeside } of plans) workers.push(await servers.startWorker(name, settings, isBeside));
  const reporting = (async () => {
    for (let from = 0; reported === 'meanwhile' && from < changes; from += REPORTED_AT_ONCE) {
      await report(from, Math.min(REPORTED_AT_ONCE, changes - from));
    }
  })();
  const arrived = async (share: number) => {
    while ((await requestsOf(receiver)) - before < total * share) await sleep(LOOK_EVERY_MS);
    return look(servers, workers);
  };
  const measured = (async () => ({ first: await arrived(FROM), last: await arrived(TO) }))();
  const [{ first, last }] = await Promise.all([measured, reporting]);
  await arrived(1);
  while (await servers.isAny('pending')) await sleep(LOOK_EVERY_MS);
  for (const worker of workers) await worker.stop();

  const sent = (await requestsOf(receiver)) - before;
  const attempts = (await servers.attempts()) - attemptsBefore;
  if (sent !== total || attempts !== total) {
    const said = workers.map(({ logFile }) => troublesIn(logFile)).join('');
    throw new Error(`Of ${total} deliveries ${sent} requests were sent and ${attempts} attempts recorded.\n${said}`);
  }
  await clearDeliveries(servers);
  const seconds = (last.atMs - first.atMs) / 1_000;
  const delivered = last.requests - first.requests;
  const shares = Object.keys(last.cpuMs).map((name) => [name, spent(first, last, name) / seconds / 1_000]);
  const workerCpuMs = workers.reduce((sum, { name }) => sum + spent(first, last, name), 0);
  return {
    deliveriesPerSecond: delivered / seconds,
    workerCpuUsPerDelivery: (workerCpuMs / delivered) * 1_000,
    coreShares: Object.fromEntries(shares) as Record<string, number>,
  };
}

/** What ran before may have left requests that have not arrived yet. */
async function requestsAtRest(receiver: MeasuredProcess): Promise<number> {
  let count = await requestsOf(receiver);
  for (;;) {
    await sleep(REST_MS);
    const now = await requestsOf(receiver);
    if (now === count) return count;
    count = now;
  }
}

/** The last lines of a log that say more than that work was done. */
function troublesIn(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.includes('"level":"info"'))
    .slice(-TROUBLES_SHOWN)
    .map((line) => `${line}\n`)
    .join('');
}

interface Look {
  readonly atMs: number;
  readonly requests: number;
  readonly cpuMs: Readonly<Record<string, number>>;
}

async function look(servers: DeliveryServers, workers: readonly MeasuredProcess[]): Promise<Look> {
  const usages = await Promise.all(workers.map(async (worker) => [worker.name, (await worker.usage()).cpuMs] as const));
  const requests = await requestsOf(servers.receiver);
  return { atMs: performance.now(), requests, cpuMs: { ...Object.fromEntries(usages), ...servers.cpuMs() } };
}

function spent(first: Look, last: Look, name: string): number {
  return (last.cpuMs[name] ?? 0) - (first.cpuMs[name] ?? 0);
}

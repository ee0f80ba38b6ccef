import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../processes/bench-servers.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import { clearDeliveries, type DeliveryServers } from './delivery-servers.js';
import { numberedChanges, reportChanges, requestsOf } from './report-and-receive.js';

export interface RunShape {
  readonly artist: string;
  readonly destinations: number;
  readonly changes: number;
  readonly reported: 'before' | 'during';
}

export interface WorkerPlan {
  readonly name: string;
  readonly settings: Settings;
  /** True if the worker shares its cores with all other processes. */
  readonly isBeside: boolean;
}

export interface RunResult {
  readonly deliveriesPerSecond: number;
  readonly workerCpuUsPerDelivery: number;
  readonly coreShares: Readonly<Record<string, number>>;
}

/**
 * Delivery is slower at the start and at the end, so only deliveries between these fractions of the run are measured.
 */
const FROM = 0.25;
const TO = 0.95;
const CHECK_EVERY_MS = 50;
const REST_MS = 500;
const PROBLEMS_SHOWN = 50;

let runs = 0;

const REPORTED_AT_ONCE = 5;

/** @throws if a delivery was lost, sent twice, or has no attempt. */
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
    for (let from = 0; reported === 'during' && from < changes; from += REPORTED_AT_ONCE) {
      await report(from, Math.min(REPORTED_AT_ONCE, changes - from));
    }
  })();
  const arrived = async (share: number) => {
    while ((await requestsOf(receiver)) - before < total * share) await sleep(CHECK_EVERY_MS);
    return readUsage(servers, workers);
  };
  const measured = (async () => ({ first: await arrived(FROM), last: await arrived(TO) }))();
  const [{ first, last }] = await Promise.all([measured, reporting]);
  await arrived(1);
  while (await servers.isAny('pending')) await sleep(CHECK_EVERY_MS);
  for (const worker of workers) await worker.stop();

  const sent = (await requestsOf(receiver)) - before;
  const attempts = (await servers.attempts()) - attemptsBefore;
  if (sent !== total || attempts !== total) {
    const said = workers.map(({ logFile }) => problemsIn(logFile)).join('');
    throw new Error(`${total} deliveries caused ${sent} requests and ${attempts} stored attempts.\n${said}`);
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

/** Waits until requests from the previous run stop arriving. */
async function requestsAtRest(receiver: MeasuredProcess): Promise<number> {
  let count = await requestsOf(receiver);
  for (;;) {
    await sleep(REST_MS);
    const now = await requestsOf(receiver);
    if (now === count) return count;
    count = now;
  }
}

function problemsIn(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.includes('"level":"info"'))
    .slice(-PROBLEMS_SHOWN)
    .map((line) => `${line}\n`)
    .join('');
}

interface UsageRead {
  readonly atMs: number;
  readonly requests: number;
  readonly cpuMs: Readonly<Record<string, number>>;
}

async function readUsage(servers: DeliveryServers, workers: readonly MeasuredProcess[]): Promise<UsageRead> {
  const usages = await Promise.all(workers.map(async (worker) => [worker.name, (await worker.usage()).cpuMs] as const));
  const requests = await requestsOf(servers.receiver);
  return { atMs: performance.now(), requests, cpuMs: { ...Object.fromEntries(usages), ...servers.cpuMs() } };
}

function spent(first: UsageRead, last: UsageRead, name: string): number {
  return (last.cpuMs[name] ?? 0) - (first.cpuMs[name] ?? 0);
}

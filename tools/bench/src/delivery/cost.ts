import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench.js';
import { interleave, lineOf, type Variant } from '../measuring/rounds.js';
import type { Settings } from '../processes/bench-servers.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import type { Figure } from '../reporting/figure.js';
import { bareLoop } from './bare-loop.js';
import { clearDeliveries, type DeliveryServers } from './delivery-servers.js';
import { numberedChanges, reportChanges, requestsOf } from './report-and-receive.js';
import { seedDestinations } from './seed-destinations.js';

const FULL = { rounds: 5, destinations: 200, changes: 250, concurrency: 256, bareWarmUpMs: 2_000, bareMs: 4_000 };
const QUICK = { rounds: 1, destinations: 10, changes: 10, concurrency: 4, bareWarmUpMs: 100, bareMs: 300 };

/** All workers share these servers, and Redis executes commands on a single core. */
const STORES = ['postgres', 'redis'] as const;
const BARE = 'bare loop';
const WORKER = 'worker';
const REPORTED_DURING = 'worker, changes reported during delivery';

export async function measureCost(servers: DeliveryServers, { quick, say }: BenchOptions): Promise<Figure[]> {
  const extent = quick ? QUICK : FULL;
  const artist = 'flood';
  const { pool, okUrls: urls, box } = servers;
  await seedDestinations(pool, { artist, urls, count: extent.destinations, box });
  const shape = { artist, destinations: extent.destinations, changes: extent.changes };
  const slots = { WEBHOOK_CONCURRENCY: String(extent.concurrency) };
  const worker = (reported: RunShape['reported']): Variant => ({
    name: reported === 'before' ? WORKER : REPORTED_DURING,
    async measure() {
      const plan = { name: 'worker-cost', settings: slots, isBeside: false };
      const result = await runDeliveries(servers, { ...shape, reported }, [plan]);
      return {
        cpuUs: result.workerCpuUsPerDelivery,
        perSecond: result.deliveriesPerSecond,
        perCpuSecond: 1_000_000 / result.workerCpuUsPerDelivery,
        ...Object.fromEntries(
          STORES.map((store) => [`fills ${store}`, result.deliveriesPerSecond / (result.coreShares[store] ?? 0)]),
        ),
        ...prefixed(result.coreShares),
      };
    },
  });
  const bare: Variant = { name: BARE, measure: () => bareLoop(servers, extent) };
  const variants = [bare, worker('before'), worker('during')];
  const rounds = await interleave(variants, extent.rounds, (round) => say(lineOf(round)));

  const workers = [false, true].map((isBeside, index) => ({ name: `worker-${index + 1}`, settings: slots, isBeside }));
  const two = await runDeliveries(servers, { ...shape, changes: shape.changes * 2, reported: 'before' }, workers);
  say(`two workers: perSecond ${two.deliveriesPerSecond.toFixed(0)}, ${sharesText(two.coreShares)}`);

  const cpuPerWebhook = (name: string) => ({ value: rounds.spread('cpuUs', name), unit: 'µs', digits: 0 });
  const ofWorker = (figure: string) => ({ value: rounds.spread(figure, WORKER), digits: 0 });
  return [
    ...variants.map(({ name }) => ({ name: `${name}: CPU time per webhook`, ...cpuPerWebhook(name) })),
    { name: 'CPU time per webhook: worker relative to the bare loop', value: rounds.ratio('cpuUs', WORKER, BARE) },
    { name: 'deliveries per second, one worker on a separate core', ...ofWorker('perSecond'), atLeast: 3_000 },
    {
      name: 'deliveries per second while changes are reported, one worker that shares its cores with everything else',
      value: rounds.spread('perSecond', REPORTED_DURING),
      digits: 0,
    },
    {
      name: 'deliveries per second of worker CPU time',
      ...ofWorker('perCpuSecond'),
      atLeast: 3_000,
    },
    ...STORES.map((store) => ({
      name: `deliveries per second that would fill one core of ${store}`,
      ...ofWorker(`fills ${store}`),
    })),
    {
      name: `deliveries per second with a second worker that shares its cores with everything else (${sharesText(two.coreShares)})`,
      value: two.deliveriesPerSecond,
      digits: 0,
    },
  ];
}

function prefixed(shares: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [`core share of ${name}`, share]));
}

function sharesText(shares: Readonly<Record<string, number>>): string {
  return Object.entries(shares)
    .map(([name, share]) => `${name} ${share.toFixed(2)}`)
    .join(', ');
}

interface RunShape {
  readonly artist: string;
  readonly destinations: number;
  readonly changes: number;
  readonly reported: 'before' | 'during';
}

interface WorkerPlan {
  readonly name: string;
  readonly settings: Settings;
  /** True if the worker shares its cores with all other processes. */
  readonly isBeside: boolean;
}

interface RunResult {
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
async function runDeliveries(
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

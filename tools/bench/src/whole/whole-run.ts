import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench.js';
import { bareLoop } from '../delivery/bare-loop.js';
import { type DeliveryServers, onDeliveryServers } from '../delivery/delivery-servers.js';
import { arrivalsAt, requestsOf } from '../delivery/report-and-receive.js';
import { seedDestinations } from '../delivery/seed-destinations.js';
import type { Figures } from '../measuring/rounds.js';
import { median, quantile } from '../measuring/statistics.js';
import { familyCpuMs, proportionalBytes, residentBytes } from '../processes/family-cpu.js';

/** `singles` is the number of changes used to measure the idle latency. */
const FULL = { webhooks: 10_000, warmUpWebhooks: 3_000, singles: 100 };
const QUICK = { webhooks: 200, warmUpWebhooks: 100, singles: 5 };

export interface WholeSetting {
  readonly scheme: 'http' | 'https';
  /** Changes per request. */
  readonly aRequest: number;
  /** Destinations per change. */
  readonly fanOut: number;
}

const ARTIST = 'whole';
/** With a fan-out of 1, each change goes to a single destination. */
const DESTINATIONS = 10;
const CONNECTIONS = { single: 32, batch: 2 };
const BARE_MS = 1_000;
const EVERY_MS = 50;
const CHECK_EVERY_MS = 50;
const MEMORY_EVERY_MS = 500;
/** Logs and metrics are still being written after the last settlement. */
const QUIET_MS = 1_000;
/** An idle service frees memory after a second or two (docs/adr/0017). */
const IDLE_MS = 3_000;
const ARRIVAL_TIMEOUT_MS = 180_000;
const MB = 1_000_000;

/**
 * Measures single changes on an idle system first, then all changes at full speed. No process is pinned.
 * @returns figures by name, with CPU time in microseconds per webhook.
 * @throws if a webhook was lost, sent twice, or has no attempt.
 */
export async function measureWhole(
  { scheme, aRequest, fanOut }: WholeSetting,
  { quick, profileDirectory }: BenchOptions,
): Promise<Figures> {
  const extent = quick ? QUICK : FULL;
  return onDeliveryServers({ scheme, profileDirectory, profilesAll: true }, async (servers) => {
    const count = Math.max(DESTINATIONS, fanOut);
    const types = fanOut === 1 ? Array.from({ length: count }, (_, number) => `bench_${number}`) : ['release_removed'];
    await seedDestinations(servers.pool, {
      artist: ARTIST,
      urls: servers.okUrls,
      count,
      box: servers.box,
      ...(fanOut === 1 && { typeOf: (number: number) => types[number] ?? '' }),
    });
    const worker = await servers.startWorker('worker', {}, true);
    const api = await servers.startService('api', { API_PORT: '0' }, { isBeside: true });
    await startMails(servers);
    const services = {
      worker: worker.pid,
      'change-ingest': servers.ingest.pid,
      'egress-proxy': servers.proxy.pid,
      api: api.pid,
    };
    const stores = { postgres: servers.postgresPid, redis: servers.redisPid };
    const resident = () => residentBytes(Object.values(services)) / MB;
    const proportional = () => proportionalBytes(Object.values(services)) / MB;
    const usual = {
      artist: ARTIST,
      aRequest,
      types,
      connections: aRequest > 1 ? CONNECTIONS.batch : CONNECTIONS.single,
    };
    const load = (name: string, webhooks: number): Feed => ({ ...usual, name, changes: Math.ceil(webhooks / fanOut) });

    const beside = { concurrency: 100, bareWarmUpMs: BARE_MS, bareMs: BARE_MS, isBeside: true };
    const bare = await bareLoop(servers, beside);
    await sleep(QUIET_MS);
    await deliver(servers, load('warm-up', extent.warmUpWebhooks), fanOut);
    const singles = { ...usual, aRequest: 1, connections: 1, changes: extent.singles };
    const latency = await measureLatency(servers, singles, fanOut);
    await sleep(IDLE_MS);
    const [idleMb, idleOnceMb] = [resident(), proportional()];

    let [most, mostOnce] = [0, 0];
    const mostOf: Record<string, number> = {};
    const watching = setInterval(() => {
      most = Math.max(most, resident());
      mostOnce = Math.max(mostOnce, proportional());
      for (const [name, pid] of Object.entries(services)) {
        mostOf[name] = Math.max(mostOf[name] ?? 0, residentBytes([pid]) / MB);
      }
    }, MEMORY_EVERY_MS);
    const cpuMs = () => cpuOf({ ...services, ...stores, receiver: servers.receiver.pid });
    const before = cpuMs();
    const { webhooks, tookMs, feederCpuMs } = await deliver(servers, load('load', extent.webhooks), fanOut);
    await sleep(QUIET_MS);
    clearInterval(watching);
    const after = cpuMs();
    const usBy = (name: string) => (((after[name] ?? 0) - (before[name] ?? 0)) / webhooks) * 1_000;
    const sum = (names: object) => Object.keys(names).reduce((total, name) => total + usBy(name), 0);
    return {
      perSecond: (webhooks / tookMs) * 1_000,
      services: sum(services),
      stores: sum(stores),
      all: sum(services) + sum(stores),
      bare: bare.cpuUs,
      toBare: (sum(services) + sum(stores)) / bare.cpuUs,
      most,
      mostOnce,
      idleMb,
      idleOnceMb,
      ...latency,
      ...Object.fromEntries([...Object.keys(after)].map((name) => [`of ${name}`, usBy(name)])),
      'of the feeder': (feederCpuMs / webhooks) * 1_000,
      ...Object.fromEntries(Object.entries(mostOf).map(([name, megabytes]) => [`MB of ${name}`, megabytes])),
    };
  });
}

/** Queues emails for one member per account. None are sent, because SMTP_URL points to no mail server. */
async function startMails({ pool, startService }: DeliveryServers): Promise<void> {
  await pool.query(
    `INSERT INTO members (id, account_id, email, role, created_at, joined_at)
     SELECT new_id('mem', now()), id, id || '@label.example', 'owner', now(), now() FROM accounts`,
  );
  const settings = {
    DASHBOARD_PORT: '0',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'mail@artist-watch.test',
    MAIL_GROUP_WAIT: '5s',
  };
  await startService('dashboard', settings, { isBeside: true });
}

function cpuOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, familyCpuMs(pid)]));
}

/** Waits until the last delivery is settled, although `tookMs` ends when the last webhook arrives. */
async function deliver(servers: DeliveryServers, feeding: Feed, fanOut: number) {
  const { receiver } = servers;
  const webhooks = feeding.changes * fanOut;
  const [requestsBefore, attemptsBefore] = [await requestsOf(receiver), await servers.attempts()];
  const fed = await feed(servers, feeding);
  const endsAtMs = performance.now() + ARRIVAL_TIMEOUT_MS;
  const arrived = async () => (await requestsOf(receiver)) - requestsBefore;
  while ((await arrived()) < webhooks && performance.now() < endsAtMs) await sleep(CHECK_EVERY_MS);
  const tookMs = performance.timeOrigin + performance.now() - fed.startedAtMs;
  while ((await servers.isAny('pending')) && performance.now() < endsAtMs) await sleep(CHECK_EVERY_MS);
  const [requests, attempts] = [await arrived(), (await servers.attempts()) - attemptsBefore];
  if (requests !== webhooks || attempts !== webhooks) {
    throw new Error(`${webhooks} webhooks caused ${requests} requests and ${attempts} stored attempts.`);
  }
  return { webhooks, tookMs, feederCpuMs: fed.cpuMs };
}

/** Reports one change at a time. Latencies are measured from change-ingest's response. */
async function measureLatency(servers: DeliveryServers, usual: Omit<Feed, 'name'>, fanOut: number) {
  await arrivalsAt(servers.receiver);
  const { answeredAtMs } = await feed(servers, { ...usual, name: 'single', everyMs: EVERY_MS });
  const tookMs = new Map<number, number[]>();
  let left = usual.changes * fanOut;
  for (const endsAtMs = performance.now() + ARRIVAL_TIMEOUT_MS; left > 0; await sleep(CHECK_EVERY_MS)) {
    if (performance.now() > endsAtMs) throw new Error(`${left} webhooks of single changes did not arrive.`);
    for (const { entityId, atMs } of await arrivalsAt(servers.receiver)) {
      const index = Number(entityId.slice(entityId.lastIndexOf('-') + 1));
      tookMs.set(index, [...(tookMs.get(index) ?? []), atMs - (answeredAtMs[index] ?? 0)]);
      left -= 1;
    }
  }
  const firsts = [...tookMs.values()].map((times) => Math.min(...times));
  const lasts = [...tookMs.values()].map((times) => Math.max(...times));
  const [firstP50, lastP50] = [median(firsts), median(lasts)];
  return {
    firstP50,
    firstP99: quantile(firsts, 0.99),
    lastP50,
    lastToFirst: lastP50 / firstP50,
    lastP99: quantile(lasts, 0.99),
  };
}

interface Feed {
  readonly artist: string;
  /** Each feed needs its own prefix for the change ids. */
  readonly name: string;
  readonly changes: number;
  /** Changes per request. */
  readonly aRequest: number;
  /** Used in rotation. */
  readonly types: readonly string[];
  readonly connections: number;
  /** If 0, each request is sent as soon as the previous response arrives. */
  readonly everyMs?: number;
}

interface Fed {
  readonly startedAtMs: number;
  readonly tookMs: number;
  readonly cpuMs: number;
  /** Milliseconds since 1970. */
  readonly answeredAtMs: readonly number[];
}

async function feed({ ingest, start }: DeliveryServers, feeding: Feed): Promise<Fed> {
  const feeder = await start({
    name: `feeder-${feeding.name}`,
    main: 'tools/bench/dist/whole/feeder-main.js',
    isBeside: true,
    env: {
      PORT: String(ingest.port),
      TOKEN: ingest.token,
      ARTIST: feeding.artist,
      NAME: feeding.name,
      CHANGES: String(feeding.changes),
      A_REQUEST: String(feeding.aRequest),
      CONNECTIONS: String(feeding.connections),
      TYPES: feeding.types.join(','),
      EVERY_MS: String(feeding.everyMs ?? 0),
    },
  });
  const fed = await feeder.ask<Fed>('feed');
  await feeder.stop();
  return fed;
}

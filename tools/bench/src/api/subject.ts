import { getRequest } from '../load/http-connection.js';
import { arriveSteadily, latencyFigures, saturate, type Target } from '../load/load.js';
import { interleave, type Rounds, type Variant } from '../measuring/rounds.js';
import type { BenchServers } from '../processes/bench-servers.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import { allowAllCores, pinMeasured } from '../processes/pinning.js';
import { MAX_PAGE_ITEMS, type Reader, recordMore } from './dataset.js';
import type { Installation } from './installation.js';
import type { ApiBenchRun } from './run.js';

export interface Subject extends Target {
  readonly name: string;
  readonly server: MeasuredProcess;
}

export function changesSubject(name: string, server: MeasuredProcess, readers: readonly Reader[]): Subject {
  const requests = readers.map(({ key }) => withKey(key));
  return { name, server, port: portOf(server), requests, status: 200 };
}

export function pollSubject(name: string, server: MeasuredProcess, readers: readonly Reader[]): Subject {
  const requests = readers.map(({ key }) => withKey(key, `?since=${new Date().toISOString()}`));
  return { name, server, port: portOf(server), requests, status: 200 };
}

/** Each request reads a full page after a cursor. */
export async function afterSubject(
  name: string,
  { openPool }: BenchServers,
  { databaseUrl, dataset: { ofOneArtist: readers }, startApi }: Installation,
): Promise<Subject> {
  const server = await startApi();
  const read = async ({ key }: Reader, after: string) => {
    const url = `http://127.0.0.1:${portOf(server)}/v1/changes?after=${after}`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    return (await response.json()) as { readonly data: readonly unknown[]; readonly next_cursor: string };
  };
  const requests: Uint8Array[] = [];
  for (const reader of readers) {
    const { next_cursor: cursor } = await read(reader, 'now');
    await recordMore(openPool(databaseUrl, 1), reader.accountId);
    const { length } = (await read(reader, cursor)).data;
    if (length < MAX_PAGE_ITEMS) throw new Error(`The page has ${length} changes.`);
    requests.push(withKey(reader.key, `?after=${cursor}`));
  }
  return { name, server, port: portOf(server), requests, status: 200 };
}

const MALFORMED_KEY = 'aw_live_abcdefghijklmnopqrstuvwxyz0123456789';

export function malformedKeySubject(name: string, server: MeasuredProcess): Subject {
  return { name, server, port: portOf(server), requests: [withKey(MALFORMED_KEY)], status: 401 };
}

export function bareExpressSubject(name: string, server: MeasuredProcess, path: string, status: number): Subject {
  return { name, server, port: portOf(server), requests: [getRequest(path)], status };
}

const MAX_WARM_UP_MS = 10_000;

async function warmUp(subject: Subject, { servers, extent }: ApiBenchRun): Promise<void> {
  const { connections, warmUpAnswers, roundMs } = extent;
  await servers.redis.flushdb();
  const endsAtMs = performance.now() + MAX_WARM_UP_MS;
  for (let answers = 0; answers < warmUpAnswers && performance.now() < endsAtMs; ) {
    answers += (await saturate(subject, connections, roundMs)).answered;
  }
}

function withKey(key: string, query = ''): Uint8Array {
  return getRequest(`/v1/changes${query}`, { Authorization: `Bearer ${key}` });
}

function portOf({ addresses }: MeasuredProcess): number {
  return Number(addresses.api);
}

const STEADY_CONNECTIONS = 32;

/** For slow machines. */
const LEAST_REQUESTS = 10;

/**
 * CPU times are in µs per response: `serverCpuUs` for the server alone, and `allCpuUs` including PostgreSQL and Redis.
 * `coreShare` is the fraction of its core that the server used.
 */
export async function saturatedRounds(subjects: readonly Subject[], run: ApiBenchRun): Promise<Rounds> {
  for (const subject of subjects) await warmUp(subject, run);
  return interleave(
    subjects.map((subject) => variantOf(subject, run)),
    run.extent.rounds,
    run.printRound,
  );
}

function variantOf(subject: Subject, { servers, extent }: ApiBenchRun): Variant {
  const cpuMs = async () => {
    const server = (await subject.server.usage()).cpuMs;
    return { server, all: server + familyCpuMs(servers.postgresPid) + familyCpuMs(servers.redisPid) };
  };
  return {
    name: subject.name,
    async measure() {
      await servers.redis.flushdb();
      const before = await cpuMs();
      const result = await saturate(subject, extent.connections, extent.roundMs);
      const after = await cpuMs();
      const { answered, durationMs } = result;
      return {
        requestsPerSecond: (answered / durationMs) * 1000,
        serverCpuUs: ((after.server - before.server) / answered) * 1000,
        allCpuUs: ((after.all - before.all) / answered) * 1000,
        coreShare: (after.server - before.server) / durationMs,
        ...latencyFigures(result),
      };
    },
  };
}

/**
 * Sends requests at half the saturation rate. Servers may use all cores, because pinning them would affect the tail
 * latency. Ignore rounds with a median near one second: other work delayed their requests.
 */
export async function steadyRounds(subjects: readonly Subject[], run: ApiBenchRun): Promise<Rounds> {
  const pids = subjects.map(({ server }) => server.pid);
  pids.forEach(allowAllCores);
  try {
    for (const subject of subjects) await warmUp(subject, run);
    const variants = subjects.map((subject) => steadyVariant(subject, run));
    return await interleave(variants, Math.ceil(run.extent.rounds / 2), run.printRound);
  } finally {
    pids.forEach(pinMeasured);
  }
}

function steadyVariant(subject: Subject, { servers, extent }: ApiBenchRun): Variant {
  return {
    name: subject.name,
    async measure() {
      await servers.redis.flushdb();
      const most = await saturate(subject, extent.connections, extent.roundMs);
      const perSecond = ((most.answered / most.durationMs) * 1000) / 2;
      const durationMs = Math.max(extent.steadyRoundMs, (LEAST_REQUESTS / perSecond) * 1000);
      const result = await arriveSteadily(subject, { perSecond, connections: STEADY_CONNECTIONS, durationMs });
      const { p50Ms, p99Ms } = latencyFigures(result);
      return { perSecond, p50Ms, p99Ms, p99ToMedian: p99Ms / p50Ms };
    },
  };
}

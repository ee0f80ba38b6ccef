import { arriveSteadily, latencyFigures, saturate } from '../load/load.js';
import { interleave, type Rounds, type Variant } from '../measuring/rounds.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import { allowAllCores, pinMeasured } from '../processes/pinning.js';
import type { ApiBenchRun } from './run.js';
import { type Subject, warmUp } from './subject.js';

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

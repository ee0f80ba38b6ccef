import { latencyFigures, saturate } from '../load/load.js';
import { interleave, type Round, type Variant } from '../measuring/rounds.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import type { ApiBenchRun } from './run.js';
import { type Subject, warmUp } from './subject.js';

/**
 * Asks each subject in turn for as much as it answers. The figures of a round are `requestsPerSecond`, CPU in µs for each
 * answer (`serverCpuUs`, and `allCpuUs` with PostgreSQL and Redis), `coreShare` (how much of its core the server had:
 * under 1 it waited, or somebody else had the core), `p50Ms` and `p99Ms`.
 */
export async function saturatedRounds(subjects: readonly Subject[], run: ApiBenchRun): Promise<Round[]> {
  for (const subject of subjects) await warmUp(subject, run);
  return interleave(
    subjects.map((subject) => variantOf(subject, run)),
    run.extent.rounds,
    run.sayRound,
  );
}

function variantOf(subject: Subject, { data, redis, extent }: ApiBenchRun): Variant {
  const cpuMs = async () => {
    const server = (await subject.server.usage()).cpuMs;
    return { server, all: server + familyCpuMs(data.postgresPid) + familyCpuMs(data.redisPid) };
  };
  return {
    name: subject.name,
    async measure() {
      // No reader may come to the end of its hour in the middle of a round.
      await redis.flushdb();
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

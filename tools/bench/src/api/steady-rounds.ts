import { arriveSteadily, latencyFigures, saturate } from '../load/load.js';
import { interleave, type Round, type Variant } from '../measuring/rounds.js';
import type { ApiBenchRun } from './run.js';
import { type Subject, warmUp } from './subject.js';

/**
 * Finds out what each subject answers at most, and then asks for half of that, evenly spaced. The figures of a round are
 * `perSecond` (the half), `p50Ms`, `p99Ms` and `p99ToMedian`.
 */
export async function steadyRounds(subjects: readonly Subject[], run: ApiBenchRun): Promise<Round[]> {
  for (const subject of subjects) await warmUp(subject, run);
  return interleave(
    subjects.map((subject) => variantOf(subject, run)),
    Math.ceil(run.extent.rounds / 2),
    run.sayRound,
  );
}

/** More than half the load ever has in hand at once. */
const STEADY_CONNECTIONS = 32;

/** However slow the machine is. */
const LEAST_REQUESTS = 10;

function variantOf(subject: Subject, { redis, extent }: ApiBenchRun): Variant {
  return {
    name: subject.name,
    async measure() {
      await redis.flushdb();
      const most = await saturate(subject, extent.connections, extent.roundMs);
      const perSecond = ((most.answered / most.durationMs) * 1000) / 2;
      const durationMs = Math.max(extent.steadyRoundMs, (LEAST_REQUESTS / perSecond) * 1000);
      const result = await arriveSteadily(subject, { perSecond, connections: STEADY_CONNECTIONS, durationMs });
      const { p50Ms, p99Ms } = latencyFigures(result);
      return { perSecond, p50Ms, p99Ms, p99ToMedian: p99Ms / p50Ms };
    },
  };
}

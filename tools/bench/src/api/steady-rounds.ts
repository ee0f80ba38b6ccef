import { arriveSteadily, latencyFigures, saturate } from '../load/load.js';
import { interleave, type Round, type Variant } from '../measuring/rounds.js';
import { allowAllCores, pinMeasured } from '../processes/pinning.js';
import type { ApiBenchRun } from './run.js';
import { type Subject, warmUp } from './subject.js';

/**
 * Finds out what each subject answers at most, and then asks for half of that, evenly spaced. The figures of a round are
 * `perSecond` (the half), `p50Ms`, `p99Ms` and `p99ToMedian`.
 *
 * The servers may use all cores meanwhile, as they may in an installation: one that is tied to a core waits for whoever
 * has that core, though the other one is free, and its tail would be that of the pinning.
 *
 * A median near a second says nothing of the server: something else took the cores once the rate was found, so the server
 * fell behind it, and requests queued to the end of the round.
 */
export async function steadyRounds(subjects: readonly Subject[], run: ApiBenchRun): Promise<Round[]> {
  const pids = subjects.map(({ server }) => server.pid);
  pids.forEach(allowAllCores);
  try {
    for (const subject of subjects) await warmUp(subject, run);
    const variants = subjects.map((subject) => variantOf(subject, run));
    return await interleave(variants, Math.ceil(run.extent.rounds / 2), run.sayRound);
  } finally {
    pids.forEach(pinMeasured);
  }
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

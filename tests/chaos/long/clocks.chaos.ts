import { setTimeout as sleep } from 'node:timers/promises';
import { underLoad } from '../scenarios/under-load.js';
import { startExtraReplica } from '../stage/extra-replica.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';
import type { Scenario } from '../stage/scene.js';

const hourMs = 3_600_000;

/** Jobs that were delayed by the wrong clock must not stay delayed. */
function workerClockStepped(rounds: number): Scenario {
  return underLoad(`a worker's clock set an hour forward and back, ${rounds} times`, async (scene) => {
    const { stack } = scene;
    const replica = await startExtraReplica(await stack.state(), stack.programOf('webhookWorker'), 0);
    try {
      for (let round = 0; round < rounds; round += 1) {
        for (const byMs of [hourMs, 0, -hourMs, 0]) {
          replica.stepClock(byMs);
          await sleep(4_000);
        }
      }
      replica.stepClock(hourMs);
      await sleep(4_000);
    } finally {
      await replica.stop();
    }
  });
}

/** change-ingest runs the release loop and the sweeper, which refills a lost queue. */
function ingestClockWrong(rounds: number): Scenario {
  return underLoad(
    `change-ingest replicas with clocks an hour ahead and behind, and Redis flushed ${rounds} times`,
    async (scene) => {
      const { stack, faults } = scene;
      const state = await stack.state();
      const program = stack.programOf('changeIngest');
      const replicas = await Promise.all([hourMs, -hourMs].map((byMs) => startExtraReplica(state, program, byMs)));
      try {
        for (let round = 0; round < rounds; round += 1) {
          await sleep(2_500);
          await faults.flushRedis();
        }
        await sleep(2_500);
      } finally {
        await Promise.all(replicas.map((replica) => replica.stop()));
      }
    },
  );
}

testScenarios(useChaosStack(), [workerClockStepped(1), ingestClockWrong(3)]);

import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '@artist-watch/platform-simulator/seeded-random';
import { startExtraReplica } from '../stage/extra-replica.js';
import type { Scenario, Scene } from '../stage/scene.js';
import { channels, mixed, underLoad } from './under-load.js';

const hourMs = 3_600_000;

interface EverythingOptions {
  readonly rounds: number;
  readonly frozenMs: number;
  readonly seed: number;
}

/** Causes every kind of fault in an order that `seed` determines. */
export function everythingAtOnce({ rounds, frozenMs, seed }: EverythingOptions): Scenario {
  const scenario = underLoad(
    `all faults at once, ${rounds} times (seed ${seed})`,
    async (scene) => {
      const { stack, faults } = scene;
      const random = new SeededRandom(seed);
      const wrong = await startExtraReplica(await stack.state(), stack.programOf('webhookWorker'), hourMs);
      try {
        for (let round = 0; round < rounds; round += 1) {
          const frozen = faults.freezeReplica('webhookWorker', round % 2, frozenMs);
          const awake = 1 - (round % 2);
          for (const act of shuffled(actsOf(scene, awake), random)) {
            await act();
            wrong.stepClock(random.chance(0.5) ? hourMs : -hourMs);
            await sleep(200 + random.next() * 600);
          }
          await frozen;
        }
      } finally {
        await wrong.stop();
      }
    },
    [...mixed, ...channels.filter(({ kind }) => kind)],
  );
  return { ...scenario, mailedMembers: 3 };
}

function actsOf({ faults }: Scene, awake: number): (() => Promise<unknown>)[] {
  return [
    () => faults.killReplica('webhookWorker', awake),
    () => faults.killReplica('dashboard', awake),
    () => faults.killReplica('changeIngest', 0),
    () => faults.killReplica('changeIngest', 1),
    () => Promise.all([0, 1].map((index) => faults.killReplica('egressProxy', index))),
    () => faults.freezeReplica('changeIngest', 0, 1_500),
    () => faults.flushRedis(),
    () => faults.killServer('redis'),
    () => faults.freezeServer('redis', 1_500),
    () => faults.killServer('postgres'),
    () => faults.freezeServer('postgres', 1_500),
    () => faults.killReplica('webhookWorker', awake),
    () => Promise.all([0, 1].map((index) => faults.killReplica('dashboard', index))),
  ];
}

/** Fisher–Yates shuffle. */
function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index -= 1) {
    const other = random.integer(0, index);
    [result[index], result[other]] = [result[other] as Item, result[index] as Item];
  }
  return result;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast, Scenario, Scene } from '../stage/scene.js';
import { flaky, reluctant, slow, steady } from '../stage/temper.js';

export const mixed: readonly Cast[] = [
  { name: 'steady', temper: steady },
  { name: 'slow', temper: slow },
  { name: 'flaky', temper: flaky },
  { name: 'critical', temper: steady, minSeverity: 'critical' },
];

/** Members also get emails. */
export const channels: readonly Cast[] = [
  { name: 'steady', temper: steady },
  { name: 'slack', kind: 'slack', temper: slow },
  { name: 'discord', kind: 'discord', temper: slow },
];

/**
 * These receivers fail every first attempt. Many are needed, because a failing destination gets first attempts one at a
 * time.
 */
export const reluctants: readonly Cast[] = Array.from({ length: 100 }, (_, index) => ({
  name: `reluctant-${index}`,
  temper: reluctant,
}));

/** Reports changes steadily while `act` runs. */
export function underLoad(name: string, act: (scene: Scene) => Promise<unknown>, cast = mixed): Scenario {
  return {
    name,
    cast,
    async play(scene) {
      const stop = new AbortController();
      const reporting = scene.source.keepReporting(5, 500, stop.signal);
      try {
        await Promise.race([act(scene), reporting]);
      } finally {
        stop.abort();
        await reporting;
      }
    },
  };
}

/** Repeats an action with pauses. */
export function repeatedUnderLoad(
  name: string,
  rounds: number,
  pauseMs: number,
  act: (scene: Scene, round: number) => Promise<unknown>,
): Scenario {
  return underLoad(`${name}, ${rounds} times`, async (scene) => {
    for (let round = 0; round < rounds; round += 1) {
      await sleep(pauseMs);
      await act(scene, round);
    }
  });
}

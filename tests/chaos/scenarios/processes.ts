import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../stage/scene.js';
import { mixed } from './casts.js';
import { whileReporting } from './while-reporting.js';

/** Longer than a job's lock, the check for stalled jobs and a claim together. */
const longerThanALockMs = 32_000;

export function workersAndIngestKilled(rounds: number): Scenario {
  return {
    name: `workers and change-ingest killed, ${rounds} times each replica`,
    cast: mixed,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          for (const index of [0, 1]) {
            await sleep(1_000);
            await scene.faults.killReplica('webhookWorker', index);
            await sleep(500);
            await scene.faults.killReplica('changeIngest', index);
          }
        }
      }),
  };
}

export function everyWorkerKilledAtOnce(rounds: number): Scenario {
  return {
    name: `every worker killed at once, ${rounds} times`,
    cast: mixed,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          await sleep(3_000);
          await Promise.all([0, 1].map((index) => scene.faults.killReplica('webhookWorker', index)));
        }
      }),
  };
}

export function workerFrozenAndLetGo(rounds: number): Scenario {
  return {
    name: `a worker frozen for longer than its lock and resumed, ${rounds} times`,
    cast: mixed,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          await sleep(1_000);
          await scene.faults.freezeReplica('webhookWorker', round % 2, longerThanALockMs);
        }
      }),
  };
}

/** Past every deadline of a request, but within the claim: what it says when it wakes still counts. */
export function workerFrozenForLessThanItsClaim(rounds: number): Scenario {
  return {
    name: `a worker frozen for longer than a request and less than its claim, ${rounds} times`,
    cast: mixed,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          await sleep(1_000);
          await scene.faults.freezeReplica('webhookWorker', round % 2, 12_000);
        }
      }),
  };
}

export function ingestFrozen(rounds: number): Scenario {
  return {
    name: `a change-ingest frozen and resumed, ${rounds} times`,
    cast: mixed,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          await sleep(1_000);
          await scene.faults.freezeReplica('changeIngest', round % 2, 10_000);
        }
      }),
  };
}

export function proxiesFlapping(rounds: number): Scenario {
  return {
    name: `egress proxies killed over and over, ${rounds} times each`,
    cast: mixed,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          for (const index of [0, 1]) {
            await sleep(700);
            await scene.faults.killReplica('egressProxy', index);
          }
          await sleep(1_000);
          await Promise.all([0, 1].map((index) => scene.faults.killReplica('egressProxy', index)));
        }
      }),
  };
}

/** Longer than a receiver may take: what times out meanwhile is nobody's fault but the proxy's. */
export function proxyFrozen(rounds: number): Scenario {
  return {
    name: `an egress proxy frozen and resumed, ${rounds} times`,
    cast: mixed,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          await sleep(1_000);
          await scene.faults.freezeReplica('egressProxy', round % 2, 12_000);
        }
      }),
  };
}

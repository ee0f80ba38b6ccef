import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnService } from '@artist-watch/local-stack/stack/ready-file';
import type { Scenario, Scene } from '../stage/scene.js';
import { repeatedUnderLoad, underLoad } from './under-load.js';

/** A job's lock, the check for stalled jobs and a claim together are shorter. */
const longerThanALockMs = 32_000;

const killBoth = ({ faults }: Scene, name: OwnService) =>
  Promise.all([0, 1].map((index) => faults.killReplica(name, index)));

export function workersAndIngestKilled(rounds: number): Scenario {
  return underLoad(`workers and change-ingest killed, each replica ${rounds} times`, async ({ faults }) => {
    for (let turn = 0; turn < 2 * rounds; turn += 1) {
      await sleep(1_000);
      await faults.killReplica('webhookWorker', turn % 2);
      await sleep(500);
      await faults.killReplica('changeIngest', turn % 2);
    }
  });
}

export function everyWorkerKilledAtOnce(rounds: number): Scenario {
  return repeatedUnderLoad('every worker killed at once', rounds, 3_000, (scene) => killBoth(scene, 'webhookWorker'));
}

export function workerFrozenAndLetGo(rounds: number): Scenario {
  return frozen('a worker frozen for longer than its lock and resumed', rounds, 'webhookWorker', longerThanALockMs);
}

/** Every deadline of a request is shorter, but the claim is longer, so the resumed worker's settlements still count. */
export function workerFrozenForLessThanItsClaim(rounds: number): Scenario {
  return frozen('a worker frozen for longer than a request but less than its claim', rounds, 'webhookWorker', 12_000);
}

export function ingestFrozen(rounds: number): Scenario {
  return frozen('a change-ingest frozen and resumed', rounds, 'changeIngest', 10_000);
}

/** A receiver's timeout is shorter, but only the proxy is to blame for requests that time out. */
export function proxyFrozen(rounds: number): Scenario {
  return frozen('an egress proxy frozen and resumed', rounds, 'egressProxy', 12_000);
}

export function proxiesFlapping(rounds: number): Scenario {
  return underLoad(`egress proxies killed repeatedly, ${rounds} times each`, async (scene) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const index of [0, 1]) {
        await sleep(700);
        await scene.faults.killReplica('egressProxy', index);
      }
      await sleep(1_000);
      await killBoth(scene, 'egressProxy');
    }
  });
}

function frozen(name: string, rounds: number, service: OwnService, durationMs: number): Scenario {
  return repeatedUnderLoad(name, rounds, 1_000, ({ faults }, round) =>
    faults.freezeReplica(service, round % 2, durationMs),
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@artist-watch/harness/until';
import type { Scenario } from '../stage/scene.js';
import { reluctants, repeatedUnderLoad, underLoad } from './under-load.js';

/** Thousands of retries that are put off, thousands of jobs that wait, and then Redis knows of none of them. */
export function redisFlushedWithThousands(changes: number, rounds: number): Scenario {
  return {
    name: `FLUSHALL with ${changes * reluctants.length} deliveries delayed and as many waiting, ${rounds} times`,
    cast: reluctants,
    async play({ stack, ledger, source, faults }) {
      for (let round = 0; round < rounds; round += 1) {
        const before = ledger.seen.length;
        await source.report(changes);
        await until('the first attempts', () => ledger.seen.length >= before + changes * reluctants.length, 60_000);
        // Nothing takes a job while both are frozen, so that the next ones wait in Redis.
        const frozen = Promise.all([0, 1].map((index) => faults.freezeReplica('webhookWorker', index, 2_500)));
        await source.report(changes);
        // RELAY_MAX_DUE of them.
        await until('jobs to wait', async () => (await stack.redis.dbsize()) > 500);
        await faults.flushRedis();
        await frozen;
      }
    },
  };
}

export function redisFlushed(rounds: number): Scenario {
  return repeatedUnderLoad('FLUSHALL', rounds, 1_500, ({ faults }) => faults.flushRedis());
}

/** What an eviction takes is a key: a job's data, a list with the places of all jobs, or what BullMQ keeps besides. */
const evicted: readonly (readonly [what: string, pattern: string])[] = [
  ["every second job's data", 'dlv_*[02468ace]'],
  ['the jobs that wait', 'wait'],
  ['the jobs that yield', 'prioritized'],
  ['the jobs that are delayed', 'delayed'],
  ['the jobs in hand', 'active'],
  ['the locks', '*:lock'],
  // id, marker, meta, stalled, stalled-check
  ['the rest', '[ims]*'],
];

export function redisEvicts(rounds: number): Scenario {
  const name = `Redis evicts ${evicted.map(([what]) => what).join(', ')}, ${rounds} times`;
  return underLoad(name, async ({ faults }) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [what, pattern] of evicted) {
        await sleep(1_500);
        await faults.evict(what, pattern);
      }
    }
  });
}

export function redisReplaced(rounds: number): Scenario {
  return repeatedUnderLoad('Redis killed and started empty', rounds, 2_000, ({ faults }) => faults.killServer('redis'));
}

export function serverFrozen(name: 'redis' | 'postgres', durationMs: number, rounds: number): Scenario {
  return repeatedUnderLoad(`${name} frozen for ${durationMs} ms`, rounds, 2_000, ({ faults }) =>
    faults.freezeServer(name, durationMs),
  );
}

export function postgresKilled(rounds: number): Scenario {
  return repeatedUnderLoad('PostgreSQL killed', rounds, 2_000, ({ faults }) => faults.killServer('postgres'));
}

export function serverFrozenAndKilled(name: 'redis' | 'postgres', rounds: number): Scenario {
  return repeatedUnderLoad(`${name} frozen and then killed`, rounds, 2_000, ({ faults }) =>
    faults.freezeAndKillServer(name, 4_000),
  );
}

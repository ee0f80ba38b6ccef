import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_KEY_PREFIX, DELIVERY_QUEUE } from '@artist-watch/delivery/queue/delivery-queue';
import { until } from '@artist-watch/harness/until';
import type { Scenario } from '../stage/scene.js';
import { reluctants, repeatedUnderLoad, underLoad } from './under-load.js';

const waitingKey = `${DEFAULT_KEY_PREFIX}:${DELIVERY_QUEUE}:wait`;

export function redisFlushedWithThousands(changes: number, rounds: number): Scenario {
  return {
    name: `FLUSHALL with ${changes * reluctants.length} deliveries delayed and as many waiting, ${rounds} times`,
    cast: reluctants,
    async play({ stack, ledger, source, faults }) {
      for (let round = 0; round < rounds; round += 1) {
        const before = ledger.seen.length;
        await source.report(changes);
        await until('the first attempts', () => ledger.seen.length >= before + changes * reluctants.length, 60_000);
        // While both workers are frozen, no job is processed, so the next jobs wait in Redis.
        const frozen = Promise.all([0, 1].map((index) => faults.freezeReplica('webhookWorker', index, 2_500)));
        await source.report(changes);
        await until('jobs to be waiting', async () => (await stack.redis.llen(waitingKey)) > 0);
        await faults.flushRedis();
        await frozen;
      }
    },
  };
}

export function redisFlushed(rounds: number): Scenario {
  return repeatedUnderLoad('FLUSHALL', rounds, 1_500, ({ faults }) => faults.flushRedis());
}

/**
 * Redis must not evict anything (docs/settings.md). Without the lists of waiting or delayed jobs, their deliveries would
 * be late, because the sweeper adds copies of existing jobs only after 16 intervals.
 */
const evicted: readonly (readonly [what: string, pattern: string])[] = [
  ["every second retry's data", 'dlv_*[02468ace]-?-?'],
  ["every second group's data", '*[02468]'],
  ['the list of active jobs', 'active'],
  ['the locks', '*:lock'],
  // These patterns match BullMQ's keys id, marker, meta, stalled, and stalled-check.
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

import { setTimeout as sleep } from 'node:timers/promises';
import { type Relay, startRelay } from '@artist-watch/harness/relay';
import type { OwnService } from '@artist-watch/local-stack/stack/ready-file';
import { underLoad } from '../scenarios/under-load.js';
import { startExtraReplica } from '../stage/extra-replica.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';
import type { Scenario, Scene } from '../stage/scene.js';

type Side = 'redis' | 'postgres' | 'both';

/** A job's lock and a claim are shorter, so other replicas process the replica's deliveries before it is back. */
const silentMs = 35_000;

function cutOff(what: string, name: OwnService, from: Side, effects: readonly 'handover'[]): Scenario {
  return underLoad(
    `${what} cut off from ${nameOf(from)}: no response for ${silentMs} ms, and later every connection reset`,
    (scene) => cutOffReplica(scene, name, from, effects),
  );
}

/** Other replicas must process the replica's deliveries. When it is back, it must not send them again. */
const workerCutOff = (from: Side) => cutOff('a worker', 'webhookWorker', from, ['handover']);

async function cutOffReplica(
  { stack, faults }: Scene,
  name: OwnService,
  from: Side,
  effects: readonly 'handover'[],
): Promise<void> {
  const state = await stack.state();
  const [postgres, redis] = await Promise.all([startRelay(state.databaseUrl), startRelay(state.redisUrl)]);
  const cut: readonly Relay[] = { redis: [redis], postgres: [postgres], both: [redis, postgres] }[from];
  const env = { ...state.env, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const replica = await startExtraReplica({ ...state, env }, stack.programOf(name), 0);
  const partition = (how: 'freeze' | 'cut', durationMs: number) =>
    faults.suffer({
      what: `${name} ${how === 'cut' ? 'refused by' : 'cut off from'} ${nameOf(from)} for ${durationMs} ms`,
      effects,
      keepsTaking: true,
      begin() {
        for (const relay of cut) relay[how]();
        return true;
      },
      async lasts() {
        await sleep(durationMs);
        for (const relay of cut) relay.restore();
      },
    });
  try {
    await sleep(3_000);
    await partition('freeze', silentMs);
    await sleep(3_000);
    await partition('cut', 5_000);
    await sleep(3_000);
  } finally {
    await replica.stop();
    await Promise.all([postgres.close(), redis.close()]);
  }
}

function nameOf(side: Side): string {
  return { redis: 'Redis', postgres: 'PostgreSQL', both: 'Redis and PostgreSQL' }[side];
}

testScenarios(useChaosStack(), [
  workerCutOff('redis'),
  workerCutOff('postgres'),
  workerCutOff('both'),
  // The replica may be in the middle of releasing a page, whose rows are locked.
  cutOff('a change-ingest', 'changeIngest', 'both', []),
]);

import { setTimeout as sleep } from 'node:timers/promises';
import { type Relay, startRelay } from '@artist-watch/harness/relay';
import type { ServiceName } from '../stage/chaos-stack.js';
import { startExtraReplica } from '../stage/extra-replica.js';
import type { Scenario, Scene } from '../stage/scene.js';
import { underLoad } from './under-load.js';

/** What a replica is cut off from. */
type Side = 'redis' | 'postgres' | 'both';

/** The server goes on for everybody else: what the replica had in hand must go to them, and not come back twice. */
export function workerCutOff(from: Side, silentMs: number): Scenario {
  return underLoad(
    `a worker cut off from ${nameOf(from)}, silently for ${silentMs} ms and then with every connection reset`,
    (scene) => cutOffReplica(scene, 'webhookWorker', from, silentMs, ['handover']),
  );
}

/** It may stand in the middle of a page that it relays, with the rows of it locked. */
export function ingestCutOff(from: Side, silentMs: number): Scenario {
  return underLoad(
    `a change-ingest cut off from ${nameOf(from)}, silently for ${silentMs} ms and then with every connection reset`,
    (scene) => cutOffReplica(scene, 'changeIngest', from, silentMs, []),
  );
}

/** A further replica, whose ways to the data servers are its own. */
async function cutOffReplica(
  { stack, faults }: Scene,
  name: ServiceName,
  from: Side,
  silentMs: number,
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

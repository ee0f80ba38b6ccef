import { randomBytes } from 'node:crypto';
import { startDeliveryLoops } from '@artist-watch/delivery/delivery-loops';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { openShardedDeliveryQueue } from '@artist-watch/delivery/queue/sharded-delivery-queue';
import {
  type DestinationSeed,
  type SeededDestination,
  seedConfirmedChanges,
  seedDestination,
} from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { compose } from '@artist-watch/webhook-worker/compose';
import { readConfig } from '@artist-watch/webhook-worker/config';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import { queueOn } from './queue-on.js';

export interface DeliveryStack {
  readonly pool: pg.Pool;
  readonly redis: Redis;
  /** Relay, sweeper, and workers that are started from now on, keep the queue there. */
  moveQueue(place: QueuePlace): Promise<void>;
  /** For a suite that takes the queue's Redis away at its end. */
  stopLoops(): Promise<void>;
  startWorker(settings?: Record<string, string>): Promise<StartedWorker>;
  destination(seed: DestinationSeed & { secret?: string }): Promise<SeededDestination>;
  /** Confirms changes of the destination's artist, as change-ingest does; with this webhook body, if any. */
  confirmChanges(seeded: SeededDestination, count: number, body?: object): Promise<void>;
}

export interface StartedWorker {
  /** The value of one of its metrics that has no labels. */
  metric(name: string): Promise<number>;
  /** Where it answers its operators. */
  readonly opsUrl: string;
  stop(): Promise<void>;
}

export interface QueuePlace {
  readonly redisUrls: readonly string[];
  readonly shards: number;
}

/** Workers, relay and sweeper of one suite, in this process, on its own database and Redis. */
export async function startDeliveryStack({
  proxyUrls,
  sweepIntervalMs = 500,
  queue: firstPlace,
}: {
  readonly proxyUrls: readonly string[];
  readonly sweepIntervalMs?: number;
  /** One shard on the suite's own Redis unless given. */
  readonly queue?: QueuePlace;
}): Promise<DeliveryStack> {
  const { databaseUrl, redisUrl, keyPrefix, pool, onEnd } = await useSuite();
  const key = randomBytes(32);
  const box = createSecretBox(key);
  const redis = openCommandConnection(redisUrl);
  await whenReady(redis, 5_000);
  onEnd(() => redis.disconnect());

  let place = firstPlace ?? { redisUrls: [redisUrl], shards: 1 };
  async function startLoops() {
    const queue = openShardedDeliveryQueue(queueOn(place.redisUrls, keyPrefix, place.shards));
    await queue.whenReady(5_000);
    let stopped: Promise<void> | undefined;
    const stopping = new AbortController();
    const started = startDeliveryLoops({
      pool,
      queue,
      log: createLogger({ service: 'test', level: 'error' }),
      metrics: createMetrics({ service: 'test' }),
      signal: stopping.signal,
      sweepIntervalMs,
      maxDue: 1_000,
    });
    return {
      nudge: () => started.nudge(),
      stop() {
        stopped ??= (async () => {
          stopping.abort();
          await started.done;
          await queue.close();
        })();
        return stopped;
      },
    };
  }
  let loops = await startLoops();
  onEnd(() => loops.stop());

  return {
    pool,
    redis,
    async moveQueue(next) {
      await loops.stop();
      place = next;
      loops = await startLoops();
    },
    stopLoops: () => loops.stop(),
    async startWorker(settings = {}) {
      const config = readConfig({
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        REDIS_KEY_PREFIX: keyPrefix,
        WEBHOOK_QUEUE_REDIS_URLS: place.redisUrls.join(','),
        WEBHOOK_QUEUE_SHARDS: String(place.shards),
        EGRESS_PROXY_URLS: proxyUrls.join(','),
        ENCRYPTION_KEY: key.toString('base64'),
        OPS_PORT: '0',
        LOG_LEVEL: 'error',
        WEBHOOK_CONCURRENCY: '64',
        ...settings,
      });
      const worker = await compose(config, new AbortController().signal);
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= worker.stop(new AbortController().signal);
        return stopped;
      };
      onEnd(stop);
      const opsUrl = `http://127.0.0.1:${worker.addresses.ops}`;
      return {
        opsUrl,
        async metric(name) {
          const answer = await fetch(`${opsUrl}/metrics`);
          return Number(new RegExp(`^${name}(?:{[^}]*})? (.+)$`, 'm').exec(await answer.text())?.[1]);
        },
        stop,
      };
    },
    async destination({ secret, ...seed }) {
      const seeded = await seedDestination(pool, seed);
      if (secret !== undefined) {
        await pool.query('UPDATE destinations SET sealed_secret = $2 WHERE id = $1', [
          seeded.destinationId,
          box.seal(secret, seeded.destinationId),
        ]);
      }
      return seeded;
    },
    async confirmChanges(seeded, count, body) {
      const ids = await seedConfirmedChanges(pool, seeded.artistId, count);
      if (body)
        await pool.query('UPDATE changes SET webhook_body = $2 WHERE id = ANY($1)', [ids, JSON.stringify(body)]);
      await inTransaction(pool, (client) => fanOutChanges(client, ids, new Date()));
      loops.nudge();
    },
  };
}

import { randomBytes } from 'node:crypto';
import { createPostgresReportedChanges } from '@artist-watch/change-ingest/adapters/postgres-reported-changes';
import { completeChange } from '@artist-watch/change-ingest/application/accept-reports';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { openDeliveryQueue, type QueueLocation } from '@artist-watch/delivery/queue/delivery-queue';
import { startReleaseLoops } from '@artist-watch/delivery/release-loops';
import type { DueDelivery } from '@artist-watch/delivery/store/release';
import type { CustomHeader } from '@artist-watch/domain/delivery/webhook-options';
import {
  type DestinationSeed,
  type SeededDestination,
  seedConfirmedChanges,
  seedDestination,
} from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { noTracing } from '@artist-watch/observability/tracing/tracing';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { newId } from '@artist-watch/runtime/ids';
import { compose } from '@artist-watch/webhook-worker/compose';
import { readConfig } from '@artist-watch/webhook-worker/config';
import type { Redis } from 'ioredis';
import type pg from 'pg';

export interface DeliveryStack {
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly queuePlace: QueueLocation;
  /** The release loop, the sweeper, and workers that start later use the new location. */
  moveQueue(redisUrl: string): Promise<void>;
  stopLoops(): Promise<void>;
  startWorker(settings?: Record<string, string>): Promise<StartedWorker>;
  destination(
    seed: DestinationSeed & { secret?: string; headers?: readonly CustomHeader[] },
  ): Promise<SeededDestination>;
  /** `body` is the body of the webhooks. */
  confirmChanges(seeded: SeededDestination, count: number, body?: object): Promise<void>;
  /** Each request contains `perRequest` changes. */
  reportChanges(seeded: SeededDestination, count: number, perRequest?: number): Promise<void>;
}

export interface StartedWorker {
  /** The metric must have no labels. */
  metric(name: string): Promise<number>;
  readonly opsUrl: string;
  stop(): Promise<void>;
}

/** Tests start workers in addition to this release loop and sweeper. */
export async function startDeliveryStack({
  proxyUrls,
  sweepIntervalMs = 500,
}: {
  readonly proxyUrls: readonly string[];
  readonly sweepIntervalMs?: number;
}): Promise<DeliveryStack> {
  const { databaseUrl, redisUrl, keyPrefix, pool, onEnd } = await useSuite();
  const key = randomBytes(32);
  const box = createSecretBox(key);
  const redis = openCommandConnection(redisUrl);
  await whenReady(redis, 5_000);
  onEnd(() => redis.disconnect());

  let queueUrl = redisUrl;
  let changesReported = 0;
  async function startLoops() {
    const queue = openDeliveryQueue({ redisUrl: queueUrl, prefix: keyPrefix });
    await queue.whenReady(5_000);
    let stopped: Promise<void> | undefined;
    const stopping = new AbortController();
    const started = startReleaseLoops({
      pool,
      queue,
      log: createLogger({ service: 'test', level: 'error' }),
      metrics: createMetrics({ service: 'test' }),
      signal: stopping.signal,
      sweepIntervalMs,
    });
    return {
      nudge: () => started.nudge(),
      add: (deliveries: readonly DueDelivery[]) => started.add(deliveries),
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
  const database = openDatabase({ url: databaseUrl, applicationName: 'change-ingest' });
  onEnd(() => database.close());
  const reported = createPostgresReportedChanges({
    ...{ database, platform: 'deezer', tracing: noTracing },
    releaseLoops: { nudge: () => loops.nudge(), add: (deliveries) => loops.add(deliveries) },
  });
  onEnd(() => reported.stop());

  return {
    pool,
    redis,
    queuePlace: { redisUrl, prefix: keyPrefix },
    async moveQueue(next) {
      await loops.stop();
      queueUrl = next;
      loops = await startLoops();
    },
    stopLoops: () => loops.stop(),
    async startWorker(settings = {}) {
      const config = readConfig({
        DATABASE_URL: databaseUrl,
        REDIS_URL: queueUrl,
        REDIS_KEY_PREFIX: keyPrefix,
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
    async destination({ secret, headers, ...seed }) {
      const seeded = await seedDestination(pool, seed);
      if (headers !== undefined) {
        await pool.query('UPDATE destinations SET header_names = $2, sealed_headers = $3 WHERE id = $1', [
          seeded.destinationId,
          headers.map(({ name }) => name),
          box.seal(JSON.stringify(headers), seeded.destinationId),
        ]);
      }
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
    async reportChanges({ artistId }, count, perRequest = 50) {
      const { rows } = await pool.query<{ platform_id: string; name: string }>(
        'SELECT platform_id, name FROM artists WHERE id = $1',
        [artistId],
      );
      const now = new Date();
      const changes = Array.from({ length: count }, (_, index) =>
        completeChange(
          {
            externalId: `${artistId}-${++changesReported}`,
            artistPlatformId: rows[0]?.platform_id ?? '',
            artistName: rows[0]?.name ?? '',
            type: 'release_removed',
            severity: undefined,
            entityType: 'release',
            entityId: String(index),
            entityName: `Release ${index}`,
            summary: undefined,
            detectedAt: now,
            confirmedAt: undefined,
            before: undefined,
            after: undefined,
            values: null,
          },
          'deezer',
          newId('chg', now),
          now,
        ),
      );
      const requests = Array.from({ length: Math.ceil(count / perRequest) }, (_, index) =>
        changes.slice(index * perRequest, (index + 1) * perRequest),
      );
      await Promise.all(requests.map((request) => reported.record(request, now)));
    },
  };
}

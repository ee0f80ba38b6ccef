import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { noTracing, type Tracing } from '@artist-watch/observability/tracing/tracing';
import type { FannedOut } from '@artist-watch/persistence/change/change-fan-out';
import { skipUndeliverable } from '@artist-watch/persistence/destination/skip-undeliverable';
import { sleep } from '@artist-watch/runtime/clock';
import { every } from '@artist-watch/runtime/periodic';
import type pg from 'pg';
import { startBacklogGauges } from './queue/backlog-gauges.js';
import type { ShardedDeliveryQueue } from './queue/sharded-delivery-queue.js';
import { DirectWay } from './relay/direct-way.js';
import { relayOf } from './relay/relay.js';
import { tracedAdd } from './relay/relay-trace.js';
import { releaseDeferred } from './store/deferral.js';
import { relayDeliveries, takeBack } from './store/relay.js';
import { expectedInQueue, stillExpectedInQueue } from './store/sweep.js';
import { sweep } from './sweep/sweep.js';

export interface DeliveryLoopsOptions {
  readonly pool: pg.Pool;
  readonly queue: ShardedDeliveryQueue;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** None unless given. */
  readonly tracing?: Tracing;
  /** Ends the loops. */
  readonly signal: AbortSignal;
  /** SWEEP_INTERVAL, in milliseconds. */
  readonly sweepIntervalMs: number;
  /** Jobs that are due in each shard of the queue at the most. */
  readonly maxDue: number;
}

export interface DeliveryLoops {
  /** There may be deliveries to queue now. */
  nudge(): void;
  /** Had the queue room for direct deliveries when the relay last read its depth? */
  takesDirectly(): boolean;
  /** Queues those that go directly, and nudges for the others. What cannot be queued waits in the record then. */
  handOver(fannedOut: FannedOut): void;
  /** Resolves when the loops have ended. */
  readonly done: Promise<void>;
}

/** How long a delivery waits at most that was written by another process, which cannot nudge. */
const RELAY_INTERVAL_MS = 200;
const RELAY_BATCH = 250;
/** How soon the relay reads the queue's depth again when it was full, or long backlogs of few destinations are left. */
const READ_AGAIN_MS = 20;
const RELEASE_BATCH = 1_000;
/** Times what a release took: a tenth of a core of PostgreSQL … */
const RESTS_FOR = 9;
/** … but no longer: most of a long release was waiting, for a server that was silent or for a lock. */
const LONGEST_REST_MS = 1_000;
/** For each shard of the queue. */
const SWEEP_PAGE = 1_000;

/** Fills the queue from the record, releases deliveries of paced destinations, and re-queues what the queue loses. */
export function startDeliveryLoops(options: DeliveryLoopsOptions): DeliveryLoops {
  const { pool, queue, log, metrics, tracing = noTracing, signal, sweepIntervalMs, maxDue } = options;
  const relayed = metrics.counter({
    name: 'relay_deliveries_total',
    help: 'Deliveries that were handed from the record to the queue.',
  });
  const found = metrics.counter({
    name: 'sweeper_finds_total',
    help: 'Deliveries that the queue had lost and that were put back.',
  });
  const woken = metrics.counter({
    name: 'sweeper_wakes_total',
    help: 'Deliveries whose job slept past their time and was woken.',
  });
  const skipped = metrics.counter({
    name: 'sweeper_skips_total',
    help: 'Pending deliveries of destinations that are off, deleted or without a plan, settled as skipped by the sweeper.',
  });

  const direct = new DirectWay({
    maxDue,
    shards: queue.shards.length,
    add: tracedAdd({ tracing, pool, log }, (deliveries) => queue.add(deliveries)),
    takeBack: (deliveries) =>
      takeBack(
        pool,
        deliveries.map(({ deliveryId }) => ({ id: deliveryId, relay_at: null })),
      ),
    onQueued: (count) => relayed.inc(count),
    onError: (error) => log.error('relay.direct_failed', { error }),
  });
  const record = {
    expected: (page: Parameters<typeof expectedInQueue>[1]) => expectedInQueue(pool, page),
    stillExpected: (deliveryIds: readonly string[]) => stillExpectedInQueue(pool, deliveryIds),
    skipUndeliverable: (limit: number) => skipUndeliverable(pool, { limit }),
  };

  // One for each shard: none waits for another whose Redis is away, or which is full.
  const relaying = queue.shards.map(({ number: shard, buckets, queue: { depth, add } }) => {
    const addTraced = tracedAdd({ tracing, pool, log }, add);
    const relay = relayOf({
      batch: RELAY_BATCH,
      maxDue,
      lookAheadMs: RELAY_INTERVAL_MS,
      async depth() {
        const found = await depth();
        direct.setDue(shard, found.due);
        return found;
      },
      handOver: (page) => relayDeliveries(pool, { ...page, buckets }, addTraced),
    });
    const loop = every({
      intervalMs: RELAY_INTERVAL_MS,
      signal,
      onError(error) {
        direct.setDue(shard, undefined);
        log.error('relay.failed', { shard, error });
      },
      async run() {
        const startedAtMs = performance.now();
        const { queued: deliveries, readsAgainSoon } = await relay(signal);
        if (readsAgainSoon) setTimeout(() => loop.nudge(), READ_AGAIN_MS).unref();
        if (deliveries === 0) return;
        relayed.inc(deliveries);
        const durationMs = Math.round(performance.now() - startedAtMs);
        log.debug('deliveries.relayed', { shard, deliveries, durationMs });
      },
    });
    return loop;
  });
  const nudge = () => {
    for (const loop of relaying) loop.nudge();
  };
  const releasing = every({
    intervalMs: RELAY_INTERVAL_MS,
    signal,
    onError: (error) => log.error('release.failed', { error }),
    async run() {
      const startedAtMs = performance.now();
      let released = 0;
      for (let batch = RELEASE_BATCH; batch === RELEASE_BATCH && !signal.aborted; released += batch) {
        batch = await releaseDeferred(pool, RELEASE_BATCH);
      }
      if (released > 0) nudge();
      // It reads every destination that has deferred deliveries: 44 ms for 10,000 of them.
      await sleep(Math.min((performance.now() - startedAtMs) * RESTS_FOR, LONGEST_REST_MS), signal);
    },
  });
  const page = SWEEP_PAGE * queue.shards.length;
  const sweeping = every({
    intervalMs: sweepIntervalMs,
    signal,
    onError: (error) => log.error('sweep.failed', { error }),
    async run() {
      const startedAtMs = performance.now();
      const result = await sweep(record, queue, { page, lookAheadMs: sweepIntervalMs * 2 }, signal);
      found.inc(result.found);
      woken.inc(result.woken);
      skipped.inc(result.skipped);
      if (result.found === 0 && result.woken === 0 && result.skipped === 0) return;
      log.warn('deliveries.swept', { ...result, durationMs: Math.round(performance.now() - startedAtMs) });
    },
  });
  const gauges = startBacklogGauges({
    pool,
    queue,
    metrics,
    signal,
    nowMs: () => Date.now(),
    onError: (error) => log.warn('backlog.unknown', { error }),
  });
  return {
    nudge,
    takesDirectly: () => direct.hasRoom,
    handOver(fannedOut) {
      direct.take(fannedOut.direct);
      if (fannedOut.deliveries > fannedOut.direct.length) nudge();
    },
    done: Promise.all([...relaying.map((loop) => loop.done), releasing.done, sweeping.done, gauges.done]).then(() =>
      direct.settled(),
    ),
  };
}

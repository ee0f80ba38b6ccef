import { MAX_CHANGES, type RecordedChanges } from '@artist-watch/contracts/ingest/changes';
import type { ReleaseLoops } from '@artist-watch/delivery/release-loops';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Database } from '@artist-watch/persistence/database/database';
import {
  inRetriedTransaction,
  isDatabaseUnavailable,
  isStatementTimeout,
} from '@artist-watch/persistence/database/database-errors';
import { ensureArtists } from '@artist-watch/persistence/ingest/known-artists';
import {
  MAX_CHANGES_PER_STATEMENT,
  type ReportedBatch,
  recordReportedChanges,
} from '@artist-watch/persistence/ingest/reported-changes';
import { sleep } from '@artist-watch/runtime/clock';
import { MicroBatch, RUN_AGAIN } from '@artist-watch/runtime/micro-batch';
import type { AcceptChangesPorts } from '../application/ingest/accept-changes.js';
import type { AcceptSnapshotPorts } from '../application/ingest/accept-snapshot.js';

export interface PostgresReportedChangesOptions {
  readonly database: Database;
  readonly platform: Platform;
  readonly tracing: Tracing;
  readonly releaseLoops: Pick<ReleaseLoops, 'add' | 'nudge'>;
}

/**
 * With two groups, one can be prepared while the other is written to disk, and a change with many destinations blocks
 * only one of them.
 */
const MAX_CONCURRENT_GROUPS = 2;
/** A second group starts only if the first takes longer than this, because larger groups cost less per change. */
const SECOND_GROUP_AFTER_MS = 10;
/** The longest time that a large group waits for small ones. It is several times the duration of a small group. */
const MAX_WAIT_FOR_SMALL_MS = 50;

type GroupResults = Promise<readonly (RecordedChanges | typeof RUN_AGAIN)[]>;

/**
 * Writes the changes of concurrent requests in shared transactions (group commit). Requests that arrive while one
 * transaction runs are written together by the next. A request that arrives alone does not wait. Each request gets its
 * own result after the commit.
 *
 * Each change is stored with its `traceparent`, so that its deliveries continue the trace.
 */
export function createPostgresReportedChanges(
  options: PostgresReportedChangesOptions,
): Pick<AcceptChangesPorts, 'record'> & { stop(): Promise<void> } {
  const { database, platform, tracing, releaseLoops } = options;
  const createGroups = (maxItems: number, run: (group: readonly ReportedBatch[]) => GroupResults) =>
    new MicroBatch<ReportedBatch, RecordedChanges>({
      maxItems,
      weigh: ({ changes }) => changes.length,
      maxWaitMs: 0,
      maxWaitWhileRunningMs: SECOND_GROUP_AFTER_MS,
      maxRunning: MAX_CONCURRENT_GROUPS,
      run,
      isSharedError: (error) => isDatabaseUnavailable(error) && !isStatementTimeout(error),
    });
  /** The running groups of small batches. */
  const running = new Set<Promise<unknown>>();
  const small = createGroups(MAX_CHANGES_PER_STATEMENT, (group) => {
    const recorded = recordGroup(group).finally(() => running.delete(recorded));
    running.add(recorded);
    return recorded;
  });
  const large = createGroups(MAX_CHANGES, (group) =>
    // The wait is limited, because a small group may itself be waiting for a row that this group has locked.
    recordGroup(group, () => Promise.race([Promise.allSettled(running), sleep(MAX_WAIT_FOR_SMALL_MS)])),
  );

  async function recordGroup(group: readonly ReportedBatch[], betweenParts?: () => Promise<unknown>): GroupResults {
    // Of several batches with the same external id, only the first is recorded now. The others run after it, because
    // their results depend on its result.
    const batches: ReportedBatch[] = [];
    const taken = new Set<string>();
    for (const batch of group) {
      if (batch.changes.some(({ externalId }) => taken.has(externalId))) continue;
      for (const { externalId } of batch.changes) taken.add(externalId);
      batches.push(batch);
    }
    const { results, fannedOut } = await recordReportedChanges(database.pool, platform, batches, betweenParts);
    const { released, deliveries } = fannedOut;
    releaseLoops.add(released.map((deliveryId) => ({ deliveryId, attemptNumber: 1, roundStart: 0 })));
    // If destinations already have deliveries in flight, the remaining deliveries are released when those in flight
    // succeed.
    if (released.length === 0 && deliveries > MAX_CHANGES_PER_STATEMENT) releaseLoops.nudge();
    return group.map((batch) => results.get(batch) ?? RUN_AGAIN);
  }

  return {
    record: (changes, now) =>
      tracing.span('changes.confirm', { attributes: { 'changes.count': changes.length } }, ({ traceparent = null }) =>
        (changes.length > MAX_CHANGES_PER_STATEMENT ? large : small).add({ changes, now, traceparent }),
      ),
    async stop() {
      await Promise.all([small.stop(), large.stop()]);
    },
  };
}

/** Returns a function that finds the id of a reported artist, or creates the artist if it is unknown. */
export function createPostgresArtistIds({ pool }: Database, platform: Platform): AcceptSnapshotPorts['artistIdOf'] {
  return async (artist, now) => {
    const ids = await inRetriedTransaction(pool, (client) => ensureArtists(client, platform, [artist], now));
    const id = ids.get(artist.platformId);
    if (id === undefined) throw new Error(`The artist ${artist.platformId} could not be stored.`);
    return id;
  };
}

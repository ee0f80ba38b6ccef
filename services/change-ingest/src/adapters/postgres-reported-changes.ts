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
import type { AcceptChangesPorts, AcceptSnapshotPorts } from '../application/accept-reports.js';

export interface PostgresReportedChangesOptions {
  readonly database: Database;
  readonly platform: Platform;
  readonly tracing: Tracing;
  readonly releaseLoops: Pick<ReleaseLoops, 'add' | 'nudge'>;
}

/** Two, so that one group can be prepared while the other is written to disk. */
const MAX_CONCURRENT_GROUPS = 2;
/** Under load, larger groups save more than this wait costs. A request that arrives alone does not wait. */
const GROUP_INTERVAL_MS = 10;
/** How long a large group waits at most for small groups, which usually take only a fraction of this time. */
const MAX_WAIT_FOR_SMALL_MS = 50;

type GroupResults = Promise<readonly (RecordedChanges | typeof RUN_AGAIN)[]>;

/**
 * Writes changes from concurrent requests in shared transactions (group commit). If there is only one request, it
 * doesn't wait.
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
      minIntervalMs: GROUP_INTERVAL_MS,
      maxRunning: MAX_CONCURRENT_GROUPS,
      run,
      isSharedError: (error) => isDatabaseUnavailable(error) && !isStatementTimeout(error),
    });
  const running = new Set<Promise<unknown>>();
  const small = createGroups(MAX_CHANGES_PER_STATEMENT, (group) => {
    const recorded = recordGroup(group).finally(() => running.delete(recorded));
    running.add(recorded);
    return recorded;
  });
  const large = createGroups(MAX_CHANGES, (group) =>
    // Limit the wait, because a small group may itself be waiting for a row that this group has locked.
    recordGroup(group, () => Promise.race([Promise.allSettled(running), sleep(MAX_WAIT_FOR_SMALL_MS)])),
  );

  async function recordGroup(group: readonly ReportedBatch[], betweenParts?: () => Promise<unknown>): GroupResults {
    // A batch that repeats an external id from an earlier batch runs later, because its result depends on the earlier
    // one.
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
    // While a destination has a delivery in flight, its other deliveries wait for that one to succeed.
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

/** Creates unknown artists. */
export function createPostgresArtistIds({ pool }: Database, platform: Platform): AcceptSnapshotPorts['artistIdOf'] {
  return async (artist, now) => {
    const ids = await inRetriedTransaction(pool, (client) => ensureArtists(client, platform, [artist], now));
    const id = ids.get(artist.platformId);
    if (id === undefined) throw new Error(`The artist ${artist.platformId} could not be stored.`);
    return id;
  };
}

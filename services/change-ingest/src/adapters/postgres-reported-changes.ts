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
 * One group is prepared while the other is written to disk. A change with many destinations blocks only one of them.
 */
const MAX_CONCURRENT_GROUPS = 2;
/** A second group starts only if the first takes longer than this, because larger groups are cheaper. */
const SECOND_GROUP_AFTER_MS = 10;
/** Longest wait of a large group for small ones: several times the duration of one. */
const MAX_WAIT_FOR_SMALL_MS = 50;

type GroupResults = Promise<readonly (RecordedChanges | typeof RUN_AGAIN)[]>;

/**
 * Writes the changes of concurrent requests in shared transactions (group commit). Requests that arrive during one join
 * the next; a single request doesn't wait. Each gets its own result after the commit.
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
  /** Running groups of small batches. */
  const running = new Set<Promise<unknown>>();
  const small = createGroups(MAX_CHANGES_PER_STATEMENT, (group) => {
    const recorded = recordGroup(group).finally(() => running.delete(recorded));
    running.add(recorded);
    return recorded;
  });
  const large = createGroups(MAX_CHANGES, (group) =>
    // The wait is limited, because a small group may itself wait for a row that this group has locked.
    recordGroup(group, () => Promise.race([Promise.allSettled(running), sleep(MAX_WAIT_FOR_SMALL_MS)])),
  );

  async function recordGroup(group: readonly ReportedBatch[], betweenParts?: () => Promise<unknown>): GroupResults {
    const batches = withoutSharedIds(group);
    const { results, fannedOut } = await recordReportedChanges(database.pool, platform, batches, betweenParts);
    const { released, deliveries } = fannedOut;
    releaseLoops.add(released.map((deliveryId) => ({ deliveryId, attemptNumber: 1, roundStart: 0 })));
    // Destinations with deliveries in flight release the rest as those succeed.
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

/** Keeps the first batch for each external id. The others run after it, because their result depends on its result. */
function withoutSharedIds(group: readonly ReportedBatch[]): ReportedBatch[] {
  const taken = new Set<string>();
  return group.filter(({ changes }) => {
    const isFirst = changes.every(({ externalId }) => !taken.has(externalId));
    if (isFirst) for (const { externalId } of changes) taken.add(externalId);
    return isFirst;
  });
}

/** Finds the id of a reported artist. Creates the artist if it is unknown. */
export function createPostgresArtistIds({ pool }: Database, platform: Platform): AcceptSnapshotPorts['artistIdOf'] {
  return async (artist, now) => {
    const ids = await inRetriedTransaction(pool, (client) => ensureArtists(client, platform, [artist], now));
    const id = ids.get(artist.platformId);
    if (id === undefined) throw new Error(`The artist ${artist.platformId} was not stored.`);
    return id;
  };
}

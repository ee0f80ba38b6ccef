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

/** One is decided and written while the disk has the other; a change with very many destinations holds up one of them. */
const GROUPS_AT_ONCE = 2;
/** The second one goes beside a first that takes longer than usual; until then larger groups cost less. */
const BESIDE_AFTER_MS = 10;
/** How long a part of many changes waits at the most for groups of a few: several times what one takes. */
const LETS_GO_FIRST_MS = 50;

type GroupAnswers = Promise<readonly (RecordedChanges | typeof RUN_AGAIN)[]>;

/**
 * Records what concurrent requests report in common transactions (group commit): what arrives while one is under way goes
 * into the next, and a request that comes alone waits for nobody. Each gets its own answer, after the commit.
 *
 * What is recorded carries its place in the trace, so that its deliveries can go on with it.
 */
export function createPostgresReportedChanges(
  options: PostgresReportedChangesOptions,
): Pick<AcceptChangesPorts, 'record'> & { stop(): Promise<void> } {
  const { database, platform, tracing, releaseLoops } = options;
  const groupsOf = (maxItems: number, run: (group: readonly ReportedBatch[]) => GroupAnswers) =>
    new MicroBatch<ReportedBatch, RecordedChanges>({
      maxItems,
      weigh: ({ changes }) => changes.length,
      maxWaitMs: 0,
      maxWaitWhileRunningMs: BESIDE_AFTER_MS,
      maxRunning: GROUPS_AT_ONCE,
      run,
      isSharedError: (error) => isDatabaseUnavailable(error) && !isStatementTimeout(error),
    });
  /** Groups of a few changes that are under way. */
  const underWay = new Set<Promise<unknown>>();
  const few = groupsOf(MAX_CHANGES_PER_STATEMENT, (group) => {
    const recorded = recordGroup(group).finally(() => underWay.delete(recorded));
    underWay.add(recorded);
    return recorded;
  });
  const many = groupsOf(MAX_CHANGES, (group) =>
    // Not for ever: one of them may wait for a row of this very group.
    recordGroup(group, () => Promise.race([Promise.allSettled(underWay), sleep(LETS_GO_FIRST_MS)])),
  );

  async function recordGroup(group: readonly ReportedBatch[], betweenParts?: () => Promise<unknown>): GroupAnswers {
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
        (changes.length > MAX_CHANGES_PER_STATEMENT ? many : few).add({ changes, now, traceparent }),
      ),
    async stop() {
      await Promise.all([few.stop(), many.stop()]);
    },
  };
}

/** Of batches that report the same change only the first: what becomes of the others depends on what becomes of it. */
function withoutSharedIds(group: readonly ReportedBatch[]): ReportedBatch[] {
  const taken = new Set<string>();
  return group.filter(({ changes }) => {
    const isFirst = changes.every(({ externalId }) => !taken.has(externalId));
    if (isFirst) for (const { externalId } of changes) taken.add(externalId);
    return isFirst;
  });
}

/** Finds the id of a reported artist, and makes the artist where it is not known. */
export function createPostgresArtistIds({ pool }: Database, platform: Platform): AcceptSnapshotPorts['artistIdOf'] {
  return async (artist, now) => {
    const ids = await inRetriedTransaction(pool, (client) => ensureArtists(client, platform, [artist], now));
    const id = ids.get(artist.platformId);
    if (id === undefined) throw new Error(`The artist ${artist.platformId} was not recorded.`);
    return id;
  };
}

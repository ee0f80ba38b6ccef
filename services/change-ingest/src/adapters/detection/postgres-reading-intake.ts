import type { Platform } from '@artist-watch/domain/catalogue';
import { fleetBrake } from '@artist-watch/domain/detection/brake';
import { noTracing, type Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Database } from '@artist-watch/persistence/database/database';
import { inRetriedTransaction, isDatabaseUnavailable } from '@artist-watch/persistence/database/database-errors';
import { lockArtists, readDetections, readPollStates } from '@artist-watch/persistence/polling/artist-rows';
import { countSuspectedRemovals } from '@artist-watch/persistence/polling/due-artists';
import { writeSettlements } from '@artist-watch/persistence/polling/settlement-writes';
import type { Clock } from '@artist-watch/runtime/clock';
import { newId } from '@artist-watch/runtime/ids';
import { MicroBatch, RUN_AGAIN } from '@artist-watch/runtime/micro-batch';
import type { DetectionSettings, Reading } from '../../application/detection/reading.js';
import { needsDetection, settleReading } from '../../application/detection/settle-reading.js';
import type { ProcessedReading, ReadingIntake } from '../../application/detection/settlement.js';

export interface PostgresReadingIntakeOptions {
  readonly database: Database;
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly clock: Clock;
  /** Whether the pictures that changes name are to be fetched; they are unless given. */
  readonly wantsPictures?: boolean;
  /** None unless given. */
  readonly tracing?: Tracing;
  /** Deliveries wait to be queued. */
  onDeliveries(): void;
}

const BATCH_ITEMS = 100;
const BATCH_WAIT_MS = 10;
/** One is decided and written while the rows of the other are on their way. */
const BATCHES_AT_ONCE = 2;

/** A reading that waits for its batch, and where its settlement stands in a trace. */
type WaitingReading = Reading & { readonly traceparent: string | null };

/** Processes readings, many artists in one transaction. */
export function createPostgresReadingIntake(
  options: PostgresReadingIntakeOptions,
): ReadingIntake & { /** Processes what has gathered, and nothing more. */ stop(): Promise<void> } {
  const { database, platform, settings, clock, wantsPictures = true, tracing = noTracing } = options;
  const batch = new MicroBatch<WaitingReading, ProcessedReading | null>({
    maxItems: BATCH_ITEMS,
    maxWaitMs: BATCH_WAIT_MS,
    maxRunning: BATCHES_AT_ONCE,
    run: settle,
    // An artist that cannot be settled must not keep the others from it.
    isSharedError: isDatabaseUnavailable,
  });

  return {
    async process(reading) {
      const processed = await tracing.span('reading.settle', {}, ({ traceparent = null }) =>
        batch.add({ ...reading, traceparent }),
      );
      if (processed === null) throw new Error('The artist is not in the record.');
      return processed;
    },
    stop: () => batch.stop(),
  };

  /**
   * Loads, decides and writes in one transaction that holds the artists: what is decided is decided on what the one before
   * left, on whichever replica, and what follows from a confirmation is there with it or not at all. Of two readings of one
   * artist the second one waits for the first.
   *
   * @returns null for an artist that is not in the record.
   */
  async function settle(
    readings: readonly WaitingReading[],
  ): Promise<readonly (ProcessedReading | null | typeof RUN_AGAIN)[]> {
    const now = clock.now();
    const readingOf = new Map(readings.toReversed().map((reading) => [reading.artistId, reading]));
    const artistIds = [...readingOf.keys()];

    const { processed, deliveries } = await inRetriedTransaction(database.pool, async (client) => {
      await lockArtists(client, artistIds);
      const artists = (await readPollStates(client, artistIds)).flatMap((pollState) => {
        const reading = readingOf.get(pollState.id);
        return reading ? [{ pollState, reading }] : [];
      });
      const closer = artists.filter(({ pollState, reading }) => needsDetection(pollState, reading, settings));
      const closerIds = closer.map(({ pollState }) => pollState.id);
      const detections = await readDetections(client, closerIds, now, (_artistId, error) => {
        throw error;
      });
      const fleetBrakes = closer.length > 0 && fleetBrake(await countSuspectedRemovals(client, platform));

      const processed = artists.map(({ pollState, reading }) => {
        const settlement = settleReading(pollState, detections.get(pollState.id) ?? null, reading, {
          platform,
          settings,
          now,
          fleetBrakes,
          snapshotId: newId('snp', now),
          traceparent: reading.traceparent,
          newChangeId: () => newId('chg', now),
        });
        return { reading, settlement };
      });

      const rows = processed.map(({ settlement }) => settlement.rows);
      const { intervalFactor } = settings;
      return { processed, deliveries: await writeSettlements(client, rows, { now, intervalFactor, wantsPictures }) };
    });
    if (deliveries > 0) options.onDeliveries();
    const processedOf = new Map(processed.map((one) => [one.reading.artistId, one]));
    return readings.map((reading) =>
      readingOf.get(reading.artistId) === reading ? (processedOf.get(reading.artistId) ?? null) : RUN_AGAIN,
    );
  }
}

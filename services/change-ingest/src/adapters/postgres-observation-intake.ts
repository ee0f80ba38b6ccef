import type { Platform } from '@artist-watch/domain/catalogue';
import { fleetBrake } from '@artist-watch/domain/detection/brake';
import type { ArtistId } from '@artist-watch/domain/ids';
import { noTracing, type Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Database } from '@artist-watch/persistence/database/database';
import { inRetriedTransaction, isDatabaseUnavailable } from '@artist-watch/persistence/database/database-errors';
import { lockArtists, readDetections, readPollStates } from '@artist-watch/persistence/polling/artist-rows';
import { countSuspectedRemovals } from '@artist-watch/persistence/polling/due-artists';
import { type SettlementRows, writeSettlements } from '@artist-watch/persistence/polling/settlement-writes';
import type { Clock } from '@artist-watch/runtime/clock';
import { newId } from '@artist-watch/runtime/ids';
import { MicroBatch, RUN_AGAIN } from '@artist-watch/runtime/micro-batch';
import type { ArtistObservation, DetectionSettings } from '../application/detection/artist-observation.js';
import { needsDetection, settleObservation } from '../application/detection/settle-observation.js';
import type { ObservationIntake, ProcessedObservation } from '../application/detection/settlement.js';

interface PostgresObservationIntakeOptions {
  readonly database: Database;
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly clock: Clock;
  /** Whether to download the pictures that changes refer to. Default: true. */
  readonly wantsPictures?: boolean;
  readonly tracing?: Tracing;
  onDeliveries(): void;
}

const BATCH_ITEMS = 100;
const BATCH_WAIT_MS = 10;
/** Two, so that one batch can be prepared while the other waits for PostgreSQL. */
const MAX_CONCURRENT_BATCHES = 2;

type WaitingObservation = ArtistObservation & { readonly traceparent: string | null };

export function createPostgresObservationIntake(options: PostgresObservationIntakeOptions): ObservationIntake & {
  /** Processes the pending observations, but accepts no new ones. */
  stop(): Promise<void>;
} {
  const { database, platform, settings, clock, wantsPictures = true, tracing = noTracing } = options;
  const batch = new MicroBatch<WaitingObservation, ProcessedObservation | null>({
    maxItems: BATCH_ITEMS,
    maxWaitMs: BATCH_WAIT_MS,
    maxRunning: MAX_CONCURRENT_BATCHES,
    run: settle,
    // If one artist cannot be settled, the rest of the batch must still be processed.
    isSharedError: isDatabaseUnavailable,
  });

  return {
    async process(reading) {
      const processed = await tracing.span('reading.settle', {}, ({ traceparent = null }) =>
        batch.add({ ...reading, traceparent }),
      );
      if (processed === null) throw new Error('The artist is not in the database.');
      return processed;
    },
    stop: () => batch.stop(),
  };

  /**
   * Locks the artists, so that each decision takes all earlier decisions into account. If there are two observations of
   * the same artist, the second one is processed in a later batch.
   *
   * @returns null for an artist that is not in the database.
   */
  async function settle(
    readings: readonly WaitingObservation[],
  ): Promise<readonly (ProcessedObservation | null | typeof RUN_AGAIN)[]> {
    const now = clock.now();
    const observationByArtist = new Map<ArtistId, WaitingObservation>();
    for (const reading of readings.toReversed()) observationByArtist.set(reading.artistId, reading);
    const artistIds = [...observationByArtist.keys()];

    const { processed, deliveries } = await inRetriedTransaction(database.pool, async (client) => {
      await lockArtists(client, artistIds);
      const pollStates = await readPollStates(client, artistIds);
      const comparedIds: ArtistId[] = [];
      for (const pollState of pollStates) {
        const reading = observationByArtist.get(pollState.id);
        if (reading && needsDetection(pollState, reading, settings)) comparedIds.push(pollState.id);
      }
      const detections = await readDetections(client, comparedIds, now, (_artistId, error) => {
        throw error;
      });
      const fleetBrakes = comparedIds.length > 0 && fleetBrake(await countSuspectedRemovals(client, platform));

      const processed = new Map<ArtistId, ProcessedObservation>();
      const rows: SettlementRows[] = [];
      for (const pollState of pollStates) {
        const reading = observationByArtist.get(pollState.id);
        if (!reading) continue;
        const settlement = settleObservation(pollState, detections.get(pollState.id) ?? null, reading, {
          platform,
          settings,
          now,
          fleetBrakes,
          snapshotId: newId('snp', now),
          traceparent: reading.traceparent,
        });
        processed.set(pollState.id, { reading, settlement });
        rows.push(settlement.rows);
      }
      const { intervalFactor } = settings;
      return { processed, deliveries: await writeSettlements(client, rows, { now, intervalFactor, wantsPictures }) };
    });
    if (deliveries > 0) options.onDeliveries();
    return readings.map((reading) =>
      observationByArtist.get(reading.artistId) === reading ? (processed.get(reading.artistId) ?? null) : RUN_AGAIN,
    );
  }
}

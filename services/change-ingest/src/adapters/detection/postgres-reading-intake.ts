import type { Platform } from '@artist-watch/domain/catalogue';
import { fleetBrake } from '@artist-watch/domain/detection/brake';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { noTracing, type Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Database } from '@artist-watch/persistence/database/database';
import { isDatabaseAway } from '@artist-watch/persistence/database/database-trouble';
import type { DetectionRow, PollState } from '@artist-watch/persistence/polling/artist-rows';
import { settleArtists } from '@artist-watch/persistence/polling/settle-artists';
import type { Clock } from '@artist-watch/runtime/clock';
import { MicroBatch } from '@artist-watch/runtime/micro-batch';
import type { DetectionSettings, ProcessedReading, ReadingIntake } from '../../application/detection/ports.js';
import type { Reading } from '../../application/detection/reading.js';
import { needsDetection, settleReading } from '../../application/detection/settle-reading.js';
import { detectionFrom, historySince } from './detection-rows.js';
import { type NewIds, settlementRows } from './settlement-rows.js';

export interface PostgresReadingIntakeOptions {
  readonly database: Database;
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly clock: Clock;
  readonly newIds: NewIds;
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

type Outcome =
  | { readonly kind: 'processed'; readonly processed: ProcessedReading }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Processes readings, many artists in one transaction. */
export class PostgresReadingIntake implements ReadingIntake {
  readonly #options: PostgresReadingIntakeOptions;
  readonly #batch: MicroBatch<Reading, Outcome>;
  /** Of readings that are being processed. */
  readonly #traceparents = new WeakMap<Reading, string>();

  constructor(options: PostgresReadingIntakeOptions) {
    this.#options = options;
    this.#batch = new MicroBatch({
      maxItems: BATCH_ITEMS,
      maxWaitMs: BATCH_WAIT_MS,
      maxRunning: BATCHES_AT_ONCE,
      run: (readings) => this.#processAll(readings),
    });
  }

  async process(reading: Reading): Promise<ProcessedReading> {
    const { tracing = noTracing } = this.#options;
    const outcome = await tracing.span('reading.settle', {}, ({ traceparent }) => {
      if (traceparent !== undefined) this.#traceparents.set(reading, traceparent);
      return this.#batch.add(reading);
    });
    if (outcome.kind === 'failed') throw outcome.error;
    return outcome.processed;
  }

  /** Processes what has gathered, and nothing more. */
  stop(): Promise<void> {
    return this.#batch.stop();
  }

  async #processAll(readings: readonly Reading[]): Promise<Outcome[]> {
    const outcomes = new Map<Reading, Outcome>();
    for (const round of roundsOf(readings)) {
      for (const [reading, outcome] of await this.#takeInRound(round)) outcomes.set(reading, outcome);
    }
    return readings.map((reading) => outcomes.get(reading) ?? NOT_FOUND);
  }

  /** One artist that cannot be settled must not keep the others from it: then each is processed in by itself. */
  async #takeInRound(readings: readonly Reading[]): Promise<Map<Reading, Outcome>> {
    try {
      return await this.#settle(readings);
    } catch (error) {
      if (isDatabaseAway(error) || readings.length === 1) {
        return new Map(readings.map((reading) => [reading, { kind: 'failed', error }]));
      }
      const outcomes = new Map<Reading, Outcome>();
      for (const reading of readings) {
        for (const [one, outcome] of await this.#takeInRound([reading])) outcomes.set(one, outcome);
      }
      return outcomes;
    }
  }

  async #settle(readings: readonly Reading[]): Promise<Map<Reading, Outcome>> {
    const { database, platform, settings, clock, newIds, wantsPictures = true } = this.#options;
    const now = clock.now();
    const readingOf = new Map(readings.map((reading) => [reading.artistId, reading]));
    const processed = new Map<Reading, Outcome>();

    const deliveries = await settleArtists(database.pool, {
      platform,
      artistIds: [...readingOf.keys()],
      now,
      intervalFactor: settings.intervalFactor,
      historySince: historySince(now),
      wantsPictures,
      needsDetection: (pollState) => needsDetection(pollState, readingFor(pollState, readingOf), settings),
      decide: (pollState, row, fleet) => {
        const reading = readingFor(pollState, readingOf);
        const fleetBrakes = fleetBrake({ artistsPolled: fleet.watched, artistsWithRemovals: fleet.withRemovals });
        const detection = row === null ? null : detectionFrom(row);
        const snapshotId = newIds.snapshot(now);
        const settlement = settleReading(pollState, detection, reading, { settings, now, snapshotId, fleetBrakes });
        const isPoll = reading.source !== 'ingested';
        const openChangeIds = openIds(row);
        const traceparent = this.#traceparents.get(reading) ?? null;
        const rows = settlementRows(
          { ...pollState, platform, isPoll, settlement, snapshotId, openChangeIds, traceparent },
          newIds,
          now,
        );
        const confirmed = rows.changes.filter(({ state }) => state === 'confirmed');
        const confirmedIds = new Map(confirmed.map(({ differenceKey, id }) => [differenceKey, id]));
        processed.set(reading, { kind: 'processed', processed: { reading, settlement, confirmedIds } });
        return rows;
      },
    });
    if (deliveries > 0) this.#options.onDeliveries();
    return processed;
  }
}

const NOT_FOUND: Outcome = { kind: 'failed', error: new Error('The artist is not in the record.') };

/** Two readings of one artist are processed in one after the other. */
function roundsOf(readings: readonly Reading[]): Reading[][] {
  const rounds: Reading[][] = [];
  const countOf = new Map<ArtistId, number>();
  for (const reading of readings) {
    const earlier = countOf.get(reading.artistId) ?? 0;
    countOf.set(reading.artistId, earlier + 1);
    const round = rounds[earlier];
    if (round) round.push(reading);
    else rounds.push([reading]);
  }
  return rounds;
}

function readingFor({ id }: PollState, readingOf: ReadonlyMap<ArtistId, Reading>): Reading {
  const reading = readingOf.get(id);
  if (!reading) throw new Error(`The artist ${id} was not asked for.`);
  return reading;
}

function openIds(row: DetectionRow | null): ReadonlyMap<string, ChangeId> {
  return new Map(row?.openChanges.map(({ id, differenceKey }) => [differenceKey, id]));
}

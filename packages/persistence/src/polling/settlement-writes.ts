import type { Difference } from '@artist-watch/domain/change/difference';
import type { serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { SuspicionNote } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { planInterval } from '../account/artist-list.js';
import { BASELINE_COUNTS } from '../artist/artist-reads.js';
import { fanOutChanges } from '../change/change-fan-out.js';
import type { ChangeRecord } from '../change/change-reads.js';
import { wantPictures } from '../change/pictures.js';
import { columnsOf, writeRows } from '../database/sql-text.js';
import { type SnapshotWrite, writeSnapshots } from '../snapshot-store.js';
import type { PollState } from './artist-rows.js';

export interface ArtistWrite
  extends Omit<PollState, 'id' | 'platformId' | 'planIntervalMs' | 'watchedSince' | 'digest' | 'hasSuspicions'> {
  readonly artistId: ArtistId;
  readonly endsClaim: boolean;
}

export interface MetricWrite {
  readonly artistId: ArtistId;
  readonly day: Date;
  readonly followers: number;
  readonly monthlyListeners: number | null;
}

export interface DayWrite {
  readonly artistId: ArtistId;
  readonly day: Date;
  readonly complete: boolean;
  /** True if the baseline has changed, so the catalogue must be counted again. */
  readonly recount: boolean;
}

export interface BaselineWrite {
  readonly artistId: ArtistId;
  readonly state: ReturnType<typeof serialiseBaseline>;
  readonly updatedAt: Date;
}

export interface DigestWrite {
  readonly artistId: ArtistId;
  readonly digest: Uint8Array;
}

export interface ChangeWrite extends ChangeRecord {
  readonly artistName: string;
  readonly differenceKey: string;
  readonly difference: Difference;
  readonly observations: Suspicion['observations'];
  readonly notes: readonly SuspicionNote[];
  readonly webhookBody: string | null;
  /** Null if the change is not confirmed, or if tracing is off. */
  readonly traceparent: string | null;
}

/**
 * An ignored difference that a later observation no longer shows. If it reappears, it becomes a suspected change again.
 */
export interface EndedIgnore {
  readonly changeId: ChangeId;
  readonly note: SuspicionNote;
}

export interface SettlementRows {
  readonly artist: ArtistWrite;
  readonly isComplete: boolean;
  readonly metric: MetricWrite | null;
  readonly day: DayWrite | null;
  readonly baseline: BaselineWrite | null;
  readonly digest: DigestWrite | null;
  readonly snapshot: SnapshotWrite | null;
  readonly changes: readonly ChangeWrite[];
  readonly endedIgnores: readonly EndedIgnore[];
}

export interface SettlementOptions {
  readonly now: Date;
  readonly intervalFactor: number;
  readonly wantsPictures: boolean;
}

/**
 * Runs one statement per kind of row. The caller must have locked the artists.
 * @returns the number of added deliveries.
 */
export async function writeSettlements(
  client: pg.PoolClient,
  settlements: readonly SettlementRows[],
  { now, intervalFactor, wantsPictures }: SettlementOptions,
): Promise<number> {
  const rowsOf = <Row>(select: (rows: SettlementRows) => Row | null) =>
    settlements.flatMap((rows) => select(rows) ?? []);
  const changes = settlements.flatMap((rows) => rows.changes);
  await writeArtists(
    client,
    rowsOf(({ artist }) => artist),
  );
  await writeMetrics(
    client,
    rowsOf(({ metric }) => metric),
  );
  await writeBaselines(
    client,
    rowsOf(({ baseline }) => baseline),
  );
  await writeDays(
    client,
    rowsOf(({ day }) => day),
  );
  await writeDigests(
    client,
    rowsOf(({ digest }) => digest),
  );
  await writeChanges(client, changes, now);
  await writeEndedIgnores(
    client,
    settlements.flatMap(({ endedIgnores }) => endedIgnores),
  );
  await showObservations(
    client,
    rowsOf(({ isComplete, artist }) => (isComplete ? artist : null)),
    intervalFactor,
  );
  await writeSnapshots(
    client,
    rowsOf(({ snapshot }) => snapshot),
  );
  const confirmed = changes.filter(({ state }) => state === 'confirmed');
  if (confirmed.length === 0) return 0;
  if (wantsPictures) await wantPictures(client, confirmed, now);
  const ids = confirmed.map(({ id }) => id);
  return (await fanOutChanges(client, ids, now)).deliveries;
}

async function writeArtists(client: pg.PoolClient, writes: readonly ArtistWrite[]): Promise<void> {
  await writeRows(
    client,
    `UPDATE artists SET name = w.name, followers = w.followers, monthly_listeners = w.monthly_listeners,
            metrics_observed_at = w.metrics_observed_at, next_poll_at = w.next_poll_at,
            last_polled_at = w.last_polled_at, last_complete_at = w.last_complete_at,
            incomplete_polls = w.incomplete_polls, not_found_since = w.not_found_since,
            learning = w.learning, incomplete_cause = w.incomplete_cause, merged_into = w.merged_into,
            poll_claimed_until = CASE WHEN NOT w.ends_claim THEN artists.poll_claimed_until END
       FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::timestamptz[], $6::timestamptz[],
                   $7::timestamptz[], $8::timestamptz[], $9::int[], $10::bool[], $11::timestamptz[],
                   $12::bool[], $13::text[], $14::text[])
              AS w (id, name, followers, monthly_listeners, metrics_observed_at, next_poll_at, last_polled_at,
                    last_complete_at, incomplete_polls, ends_claim, not_found_since, learning,
                    incomplete_cause, merged_into)
      WHERE artists.id = w.id`,
    [
      ...columnsOf(writes, 'artistId', 'name', 'followers', 'monthlyListeners', 'metricsObservedAt'),
      ...columnsOf(writes, 'nextPollAt', 'lastPolledAt', 'lastCompleteAt', 'incompletePolls', 'endsClaim'),
      ...columnsOf(writes, 'notFoundSince', 'learning', 'incompleteCause', 'mergedInto'),
    ],
  );
}

/**
 * Only shows an account the observations that its own plan required. Showing more would reveal other watchers.
 * @param observations at most one per artist.
 */
async function showObservations(
  client: pg.PoolClient,
  observations: readonly Pick<ArtistWrite, 'artistId' | 'lastCompleteAt' | 'metricsObservedAt'>[],
  intervalFactor: number,
): Promise<void> {
  await writeRows(
    client,
    `UPDATE watches w
        SET last_complete_at = r.complete_at,
            metrics_observed_at = CASE WHEN r.metrics_at = r.complete_at THEN r.metrics_at ELSE w.metrics_observed_at END
       FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) AS r (artist_id, complete_at, metrics_at),
            accounts c
      WHERE w.artist_id = r.artist_id AND c.id = w.account_id AND w.created_at <= r.complete_at
        AND (w.last_complete_at IS NULL OR w.last_complete_at + ${planInterval('c.plan', intervalFactor)} <= r.complete_at)`,
    columnsOf(observations, 'artistId', 'lastCompleteAt', 'metricsObservedAt'),
  );
}

/** Keeps only the first observation of each day. */
async function writeMetrics(client: pg.PoolClient, writes: readonly MetricWrite[]): Promise<void> {
  await writeRows(
    client,
    `INSERT INTO artist_metrics (artist_id, day, followers, monthly_listeners)
     SELECT w.artist_id, (w.day AT TIME ZONE 'UTC')::date, w.followers, w.monthly_listeners
       FROM unnest($1::text[], $2::timestamptz[], $3::int[], $4::int[])
              AS w (artist_id, day, followers, monthly_listeners)
     ON CONFLICT (artist_id, day) DO NOTHING`,
    columnsOf(writes, 'artistId', 'day', 'followers', 'monthlyListeners'),
  );
}

/**
 * Counts the catalogue once per day, and again whenever the baseline changes. Call this after the baselines have been
 * written.
 */
async function writeDays(client: pg.PoolClient, writes: readonly DayWrite[]): Promise<void> {
  await writeRows(
    client,
    `INSERT INTO artist_days AS d (artist_id, day, readings, complete_readings, releases, tracks)
     SELECT w.artist_id, w.day, 1, w.complete::int, counted.releases, counted.tracks
       FROM (SELECT artist_id, (instant AT TIME ZONE 'UTC')::date AS day, complete, recount
               FROM unnest($1::text[], $2::timestamptz[], $3::bool[], $4::bool[])
                      AS u (artist_id, instant, complete, recount)) w
       LEFT JOIN LATERAL (
              ${BASELINE_COUNTS}
               WHERE b.artist_id = w.artist_id
                 AND (w.recount OR NOT EXISTS (SELECT FROM artist_days e WHERE e.artist_id = w.artist_id AND e.day = w.day))
            ) counted ON true
     ON CONFLICT (artist_id, day) DO UPDATE
       SET readings = d.readings + 1, complete_readings = d.complete_readings + excluded.complete_readings,
           releases = coalesce(excluded.releases, d.releases), tracks = coalesce(excluded.tracks, d.tracks)`,
    columnsOf(writes, 'artistId', 'day', 'complete', 'recount'),
  );
}

export async function writeBaselines(client: pg.PoolClient, writes: readonly BaselineWrite[]): Promise<void> {
  await writeRows(
    client,
    `INSERT INTO baselines (artist_id, state, digest, updated_at)
     SELECT w.artist_id, w.state, '', w.updated_at
       FROM unnest($1::text[], $2::jsonb[], $3::timestamptz[]) AS w (artist_id, state, updated_at)
     ON CONFLICT (artist_id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at`,
    [
      ...columnsOf(writes, 'artistId'),
      writes.map(({ state }) => JSON.stringify(state)),
      ...columnsOf(writes, 'updatedAt'),
    ],
  );
}

export async function writeDigests(client: pg.PoolClient, writes: readonly DigestWrite[]): Promise<void> {
  await writeRows(
    client,
    `UPDATE baselines SET digest = w.digest
       FROM unnest($1::text[], $2::bytea[]) AS w (artist_id, digest)
      WHERE baselines.artist_id = w.artist_id AND baselines.digest <> w.digest`,
    [...columnsOf(writes, 'artistId'), writes.map(({ digest }) => Buffer.from(digest))],
  );
}

async function writeChanges(client: pg.PoolClient, writes: readonly ChangeWrite[], now: Date): Promise<void> {
  const rows = writes.map((write) => ({
    ...write,
    difference: JSON.stringify(write.difference),
    observations: JSON.stringify(write.observations),
    notes: JSON.stringify(write.notes),
    recordedAt: write.state === 'confirmed' ? now : null,
  }));
  await writeRows(
    client,
    `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                          detected_at, confirmed_at, dismissed_at, dismissed_reason, difference_key, difference,
                          observations, notes, webhook_body, traceparent, artist_name, recorded_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::change_state[], $4::text[], $5::severity[], $6::entity_type[],
                          $7::text[], $8::text[], $9::text[], $10::timestamptz[], $11::timestamptz[],
                          $12::timestamptz[], $13::text[], $14::text[], $15::jsonb[], $16::jsonb[], $17::jsonb[],
                          $18::text[], $19::text[], $20::text[], $21::timestamptz[])
     ON CONFLICT (id) DO UPDATE
       SET state = excluded.state, severity = excluded.severity, entity_name = excluded.entity_name,
           summary = excluded.summary, detected_at = excluded.detected_at, confirmed_at = excluded.confirmed_at,
           dismissed_at = excluded.dismissed_at, dismissed_reason = excluded.dismissed_reason,
           difference = excluded.difference, observations = excluded.observations,
           notes = excluded.notes, webhook_body = excluded.webhook_body, traceparent = excluded.traceparent,
           artist_name = excluded.artist_name, recorded_at = excluded.recorded_at`,
    [
      ...columnsOf(rows, 'id', 'artistId', 'state', 'type', 'severity', 'entityType', 'entityId', 'entityName'),
      ...columnsOf(rows, 'summary', 'detectedAt', 'confirmedAt', 'dismissedAt', 'dismissedReason', 'differenceKey'),
      ...columnsOf(rows, 'difference', 'observations', 'notes', 'webhookBody', 'traceparent', 'artistName'),
      ...columnsOf(rows, 'recordedAt'),
    ],
  );
}

async function writeEndedIgnores(client: pg.PoolClient, writes: readonly EndedIgnore[]): Promise<void> {
  await writeRows(
    client,
    `UPDATE changes SET ignored = false, notes = changes.notes || w.note
       FROM unnest($1::text[], $2::jsonb[]) AS w (id, note)
      WHERE changes.id = w.id AND changes.ignored`,
    [...columnsOf(writes, 'changeId'), writes.map(({ note }) => JSON.stringify([note]))],
  );
}

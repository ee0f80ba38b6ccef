import type { NewOutcome, RecordedChanges, ReportedChange } from '@artist-watch/contracts/ingest/changes';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import { historyStart, PLAN_NAMES } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import pg from 'pg';
import { FANNED_OUT, type FannedOut, fanOut } from '../change/change-fan-out.js';
import { inRetriedTransaction } from '../database/database-errors.js';
import { anyLength, columnsOf } from '../database/sql-text.js';
import { ensureArtists, type NamedArtist } from './known-artists.js';

/** A batch's changes are recorded together or not at all. */
export interface ReportedBatch {
  readonly changes: readonly ReportedChange[];
  readonly now: Date;
  readonly traceparent: string | null;
}

/** Inserting a thousand changes at once would occupy a CPU core for a third of a second. */
export const MAX_CHANGES_PER_STATEMENT = 50;

interface BatchedChange extends ReportedChange, Pick<ReportedBatch, 'traceparent'> {
  readonly batch: number;
}

/**
 * Records batches with their feed rows and deliveries. If a batch has a conflict, nothing from it is written, but the
 * other batches still are.
 * @param batches each external id must occur only once across all batches.
 * @param betweenParts awaited between two statements, so that smaller batches can run in between.
 */
export async function recordReportedChanges<Batch extends ReportedBatch>(
  pool: pg.Pool,
  platform: Platform,
  batches: readonly Batch[],
  betweenParts?: () => Promise<unknown>,
) {
  const changes: BatchedChange[] = [];
  const artists: NamedArtist[] = [];
  let now = new Date(0);
  for (const [index, batch] of batches.entries()) {
    if (batch.now > now) now = batch.now;
    for (const change of batch.changes) {
      changes.push({ ...change, traceparent: batch.traceparent, batch: index });
      artists.push(change.artist);
    }
  }
  // All transactions lock rows in external id order, to avoid deadlocks.
  changes.sort((a, b) => (a.externalId < b.externalId ? -1 : 1));
  const artistIds = await ensureArtists(pool, platform, artists, now);
  const part = { platform, artistIds, now };
  const recorded =
    changes.length <= MAX_CHANGES_PER_STATEMENT
      ? await retryOvertaken(() => recordPart(pool, { ...part, changes, releases: true }))
      : await recordInParts(pool, changes, part, betweenParts);
  const outcomes = new Map(recorded.accepted);
  const conflicts = new Set(recorded.conflicts);
  const results = new Map<Batch, RecordedChanges>();
  for (const batch of batches) {
    const accepted: ReportedChange[] = [];
    const conflicting: string[] = [];
    for (const change of batch.changes) {
      if (outcomes.has(change.externalId)) accepted.push(change);
      if (conflicts.has(change.externalId)) conflicting.push(change.externalId);
    }
    const duplicates = batch.changes.length - accepted.length;
    results.set(
      batch,
      conflicting.length > 0
        ? { kind: 'conflict', externalIds: conflicting }
        : { kind: 'recorded', accepted, outcomes, duplicates },
    );
  }
  return { results, fannedOut: recorded };
}

interface RecordedPart extends FannedOut {
  readonly accepted: readonly (readonly [externalId: string, outcome: NewOutcome])[];
  readonly conflicts: readonly string[];
}

interface Part {
  readonly platform: Platform;
  readonly artistIds: ReadonlyMap<string, ArtistId>;
  readonly now: Date;
}

async function recordInParts(
  pool: pg.Pool,
  changes: readonly BatchedChange[],
  part: Part,
  betweenParts: (() => Promise<unknown>) | undefined,
): Promise<RecordedPart> {
  const conflicts = await findConflicts(pool, changes);
  const refused = new Set(changes.filter(({ externalId }) => conflicts.includes(externalId)).map(({ batch }) => batch));
  const rest = changes.filter(({ batch }) => !refused.has(batch));
  return retryOvertaken(
    () =>
      inRetriedTransaction(pool, async (client) => {
        const accepted: RecordedPart['accepted'][number][] = [];
        let deliveries = 0;
        for (let from = 0; from < rest.length; from += MAX_CHANGES_PER_STATEMENT) {
          if (from > 0) await betweenParts?.();
          const recorded = await recordPart(client, {
            ...part,
            changes: rest.slice(from, from + MAX_CHANGES_PER_STATEMENT),
            releases: false,
          });
          if (recorded.conflicts.length > 0) throw new Overtaken();
          accepted.push(...recorded.accepted);
          deliveries += recorded.deliveries;
        }
        return { accepted, conflicts, deliveries, released: [] };
      }),
    () => recordInParts(pool, changes, part, betweenParts),
  );
}

class Overtaken extends Error {}

/**
 * division_by_zero (see OVERTAKEN), serialization_failure and deadlock_detected,
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const OVERTAKEN_CODES: ReadonlySet<string | undefined> = new Set(['22012', '40001', '40P01']);

async function retryOvertaken<Result>(record: () => Promise<Result>, again = record): Promise<Result> {
  try {
    return await record();
  } catch (error) {
    const isOvertaken =
      error instanceof Overtaken || (error instanceof pg.DatabaseError && OVERTAKEN_CODES.has(error.code));
    if (!isOvertaken) throw error;
    return retryOvertaken(again);
  }
}

/** SQL that divides by zero if a change was not inserted, so that nothing is written. */
const OVERTAKEN = `1 / (CASE WHEN (SELECT count(*) FROM fresh) = (SELECT count(*) FROM confirmed) THEN 1 ELSE 0 END)`;

/** SQL for the outcome of change `c`. It only reads plans for old changes, which are rare. */
const OUTCOME = `CASE
  WHEN NOT EXISTS (SELECT FROM watches w WHERE w.artist_id = c.artist_id) THEN 'not_watched'
  WHEN c.confirmed_at < (SELECT max(oldest) FROM unnest($20::timestamptz[]) oldest)
   AND NOT EXISTS (SELECT FROM watches w JOIN accounts a ON a.id = w.account_id
                    WHERE w.artist_id = c.artist_id
                      AND c.confirmed_at >= ($20::timestamptz[])[array_position($19::plan_name[], a.plan)])
  THEN 'beyond_history'
  ELSE 'recorded' END`;

const RECORD_PART = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest(${anyLength(
    ...['$1::text[]', '$2::text[]', '$3::text[]', '$4::severity[]', '$5::entity_type[]', '$6::text[]', '$7::text[]'],
    ...['$8::text[]', '$9::timestamptz[]', '$10::timestamptz[]', '$11::text[]', '$12::bytea[]', '$13::text[]'],
    ...['$14::text[]', '$15::text[]', '$16::int[]', '$21::text[]'],
  )})
    AS c (id, artist_id, type, severity, entity_type, entity_id, entity_name, summary, detected_at, confirmed_at,
          external_id, external_digest, webhook_body, traceparent, artist_name, batch, reported_values)
), known AS MATERIALIZED (
  SELECT i.external_id, i.batch, c.external_digest IS NOT DISTINCT FROM i.external_digest AS is_same
    FROM input i JOIN changes c ON c.external_id = i.external_id
), fresh AS MATERIALIZED (
  SELECT * FROM input i
   WHERE NOT EXISTS (SELECT FROM known k WHERE k.external_id = i.external_id OR (k.batch = i.batch AND NOT k.is_same))
), confirmed AS (
  INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                       detected_at, confirmed_at, external_id, external_digest, webhook_body, traceparent, artist_name,
                       recorded_at, reported_values)
  SELECT id, artist_id, 'confirmed', type, severity, entity_type, entity_id, entity_name, summary,
         detected_at, confirmed_at, external_id, external_digest, webhook_body, traceparent, artist_name,
         $17::timestamptz, reported_values::json
    FROM fresh ORDER BY external_id COLLATE "C"
  ON CONFLICT (external_id) DO NOTHING
  RETURNING id, artist_id, confirmed_at, type, severity, external_id
), ${fanOut({ now: '$17::timestamptz', releases: '$18::boolean' })}
SELECT ${FANNED_OUT},
       coalesce((SELECT json_agg(json_build_array(c.external_id, ${OUTCOME})) FROM confirmed c), '[]') AS accepted,
       coalesce((SELECT array_agg(external_id) FROM known WHERE NOT is_same), '{}') AS conflicts,
       ${OVERTAKEN} AS is_complete`;

async function recordPart(
  client: pg.Pool | pg.PoolClient,
  { platform, artistIds, now, changes, releases }: Part & { changes: readonly BatchedChange[]; releases: boolean },
): Promise<RecordedPart> {
  const rows = changes.map((change) => {
    const id = artistIds.get(change.artist.platformId);
    if (id === undefined) throw new Error(`The artist ${change.artist.platformId} was not recorded.`);
    const artist = { ...change.artist, id };
    return {
      ...change,
      artistId: id,
      artistName: artist.name,
      digest: Buffer.from(change.digest),
      body: webhookBody({ ...change, platform, artist, ...(change.values ?? { before: null, after: null }) }),
      reportedValues: change.values && JSON.stringify(change.values),
    };
  });
  const { rows: results } = await client.query<RecordedPart>({
    name: 'record-reported-changes',
    text: RECORD_PART,
    values: [
      ...columnsOf(rows, 'id', 'artistId', 'type', 'severity', 'entityType', 'entityId', 'entityName', 'summary'),
      ...columnsOf(
        rows,
        'detectedAt',
        'confirmedAt',
        'externalId',
        'digest',
        'body',
        'traceparent',
        'artistName',
        'batch',
      ),
      now,
      releases,
      PLAN_NAMES,
      PLAN_NAMES.map((plan) => historyStart(plan, now)),
      ...columnsOf(rows, 'reportedValues'),
    ],
  });
  return results[0] as RecordedPart;
}

async function findConflicts(pool: pg.Pool, changes: readonly BatchedChange[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ external_id: string }>(
    `SELECT c.external_id
       FROM unnest($1::text[], $2::bytea[]) AS reported (external_id, digest)
       JOIN changes c ON c.external_id = reported.external_id
      WHERE c.external_digest IS DISTINCT FROM reported.digest`,
    [changes.map(({ externalId }) => externalId), changes.map(({ digest }) => Buffer.from(digest))],
  );
  return rows.map((row) => row.external_id);
}

import type { RecordedChanges, ReportedChange } from '@artist-watch/contracts/ingest/changes';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { type DirectDelivery, type FannedOut, fanOutChanges } from '../change/change-fan-out.js';
import { inRetriedTransaction } from '../database/database-trouble.js';
import { columnsOf } from '../database/sql-text.js';
import { knownArtists } from './known-artists.js';

/** Confirmed changes that are recorded all or none, however many others are recorded with them. */
export interface ReportedBatch {
  readonly changes: readonly ReportedChange[];
  readonly now: Date;
  /** Where it stands in a trace; null where nobody traces it. */
  readonly traceparent: string | null;
}

export interface RecordingOptions {
  /** As that of `fanOutChanges`. */
  readonly mayGoDirectly?: boolean;
  /** Awaited between two parts of what is recorded together: whoever records a few changes may go first. */
  betweenParts?(): Promise<unknown>;
}

export interface RecordedBatches<Batch> {
  readonly results: ReadonlyMap<Batch, RecordedChanges>;
  /** The deliveries of all of them. */
  readonly fannedOut: FannedOut;
}

/** So many changes are written by one statement at the most: a thousand would keep a core busy for a third of a second. */
const PART = 50;

/**
 * Records batches of confirmed changes, with their feed rows and deliveries, in one transaction of a fixed number of
 * statements for each fifty changes. A batch with a conflict writes nothing, and keeps none of the others from it. Batches
 * that overlap with those of another call, at whatever time and on whatever replica, record each external id once.
 *
 * @param batches no external id twice, in one or in several.
 */
export async function recordReportedChanges<Batch extends ReportedBatch>(
  pool: pg.Pool,
  platform: Platform,
  batches: readonly Batch[],
  options: RecordingOptions = {},
): Promise<RecordedBatches<Batch>> {
  const results = new Map<Batch, RecordedChanges>();
  let fannedOut: FannedOut = { deliveries: 0, direct: [] };
  for (let left = batches; left.length > 0; left = left.filter((batch) => !results.has(batch))) {
    try {
      const recorded = await inRetriedTransaction(pool, (client) => recordAll(client, platform, left, options));
      fannedOut = recorded.fannedOut;
      for (const batch of left) results.set(batch, resultOf(batch, recorded.accepted));
    } catch (error) {
      if (!(error instanceof ContentConflict)) throw error;
      // Rolled back: those without a conflict go again.
      for (const batch of left) {
        const externalIds = externalIdsOf(batch).filter((id) => error.externalIds.has(id));
        if (externalIds.length > 0) results.set(batch, { kind: 'conflict', externalIds });
      }
    }
  }
  return { results, fannedOut };
}

async function recordAll(
  client: pg.PoolClient,
  platform: Platform,
  batches: readonly ReportedBatch[],
  { mayGoDirectly = false, betweenParts }: RecordingOptions,
): Promise<{ readonly accepted: ReadonlyMap<string, ChangeId>; readonly fannedOut: FannedOut }> {
  // Two transactions that wait for each other's rows do so in one order only.
  const ordered = batches
    .flatMap(({ changes, traceparent }) => changes.map((change) => ({ ...change, traceparent })))
    .sort((a, b) => compareText(a.externalId, b.externalId));
  const now = new Date(Math.max(...batches.map((batch) => batch.now.getTime())));
  const artists = await knownArtists(
    client,
    platform,
    ordered.map(({ artist }) => artist),
    now,
  );
  const accepted = new Map<string, ChangeId>();
  const fannedOut = { deliveries: 0, direct: [] as DirectDelivery[] };
  for (let from = 0; from < ordered.length; from += PART) {
    if (from > 0) await betweenParts?.();
    const part = ordered.slice(from, from + PART);
    const inserted = await insertChanges(client, platform, part, artists);
    if (inserted.size < part.length) {
      // All that are left, so that the answer names each.
      const earlier = ordered.slice(from).filter(({ externalId }) => !inserted.has(externalId));
      const conflicts = await withOtherContent(client, earlier);
      if (conflicts.length > 0) throw new ContentConflict(new Set(conflicts));
    }
    const { deliveries, direct } = await fanOutChanges(client, [...inserted.values()], now, {
      mayGoDirectly: mayGoDirectly && ordered.length <= PART,
    });
    fannedOut.deliveries += deliveries;
    fannedOut.direct.push(...direct);
    for (const [externalId, id] of inserted) accepted.set(externalId, id);
  }
  return { accepted, fannedOut };
}

function resultOf(batch: ReportedBatch, acceptedIds: ReadonlyMap<string, ChangeId>): RecordedChanges {
  const accepted = externalIdsOf(batch).flatMap((externalId) => acceptedIds.get(externalId) ?? []);
  return { kind: 'recorded', accepted, duplicates: batch.changes.length - accepted.length };
}

function externalIdsOf({ changes }: ReportedBatch): string[] {
  return changes.map(({ externalId }) => externalId);
}

/** Leaves the transaction, so that it rolls back. */
class ContentConflict extends Error {
  constructor(readonly externalIds: ReadonlySet<string>) {
    super('external ids are known with another content');
  }
}

/**
 * Inserts those whose external id is new. An id that another transaction is inserting right now is waited for.
 *
 * @returns the change ids by external id, of those that were inserted.
 */
async function insertChanges(
  client: pg.PoolClient,
  platform: Platform,
  changes: readonly (ReportedChange & Pick<ReportedBatch, 'traceparent'>)[],
  artistIds: ReadonlyMap<string, ArtistId>,
): Promise<Map<string, ChangeId>> {
  const artistIdOf = ({ artist }: ReportedChange): ArtistId => {
    const artistId = artistIds.get(artist.platformId);
    if (artistId === undefined) throw new Error(`The artist ${artist.platformId} was not recorded.`);
    return artistId;
  };
  const { rows } = await client.query<{ id: ChangeId; external_id: string }>({
    name: 'insert-reported-changes',
    text: `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                          detected_at, confirmed_at, external_id, external_digest, webhook_body,
                          traceparent, artist_name)
     SELECT c.id, c.artist_id, 'confirmed', c.type, c.severity, c.entity_type, c.entity_id, c.entity_name, c.summary,
            c.detected_at, c.confirmed_at, c.external_id, c.external_digest, c.webhook_body, c.traceparent,
            c.artist_name
       FROM unnest($1::text[], $2::text[], $3::text[], $4::severity[], $5::entity_type[], $6::text[], $7::text[],
                   $8::text[], $9::timestamptz[], $10::timestamptz[], $11::text[], $12::bytea[], $13::text[],
                   $14::text[], $15::text[])
         WITH ORDINALITY AS c (id, artist_id, type, severity, entity_type, entity_id, entity_name, summary, detected_at,
                               confirmed_at, external_id, external_digest, webhook_body, traceparent, artist_name,
                               place)
      ORDER BY c.place
     ON CONFLICT (external_id) DO NOTHING
     RETURNING id, external_id`,
    values: [
      ...columnsOf(changes, 'id'),
      changes.map(artistIdOf),
      ...columnsOf(changes, 'type', 'severity', 'entityType', 'entityId', 'entityName', 'summary'),
      ...columnsOf(changes, 'detectedAt', 'confirmedAt', 'externalId'),
      changes.map((change) => Buffer.from(change.digest)),
      changes.map((change) => {
        const artist = { ...change.artist, id: artistIdOf(change) };
        return webhookBody({ ...change, platform, artist, before: null, after: null });
      }),
      ...columnsOf(changes, 'traceparent'),
      changes.map((change) => change.artist.name),
    ],
  });
  return new Map(rows.map((row) => [row.external_id, row.id]));
}

async function withOtherContent(client: pg.PoolClient, changes: readonly ReportedChange[]): Promise<string[]> {
  const { rows } = await client.query<{ external_id: string }>(
    `SELECT c.external_id
       FROM unnest($1::text[], $2::bytea[]) AS reported (external_id, digest)
       JOIN changes c ON c.external_id = reported.external_id
      WHERE c.external_digest IS DISTINCT FROM reported.digest`,
    [changes.map(({ externalId }) => externalId), changes.map(({ digest }) => Buffer.from(digest))],
  );
  return rows.map((row) => row.external_id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

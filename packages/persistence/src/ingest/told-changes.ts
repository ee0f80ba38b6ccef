import type { RecordedChanges, ToldChange } from '@artist-watch/contracts/ingest/told-change';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { fanOutChanges } from '../change/change-fan-out.js';
import { inRetriedTransaction } from '../database/transaction-retry.js';
import { knownArtists } from './known-artists.js';

/**
 * Records confirmed changes, with their feed rows and deliveries, in one transaction of a fixed number of statements.
 * Batches that overlap, at whatever time and on whatever replica, record each external id once.
 *
 * @param changes no external id twice.
 * @param traceparent where the request stands in a trace; null where nobody traces it.
 */
export async function recordToldChanges(
  pool: pg.Pool,
  platform: Platform,
  changes: readonly ToldChange[],
  now: Date,
  traceparent: string | null = null,
): Promise<RecordedChanges> {
  // Two batches that wait for each other's rows do so in one order only.
  const ordered = changes.toSorted((a, b) => compareText(a.externalId, b.externalId));
  try {
    return await inRetriedTransaction(pool, async (client): Promise<RecordedChanges> => {
      const artistIds = await knownArtists(
        client,
        platform,
        ordered.map(({ artist }) => artist),
        now,
      );
      const accepted = await insertChanges(client, ordered, artistIds, traceparent);
      if (accepted.size < ordered.length) {
        const earlier = ordered.filter(({ externalId }) => !accepted.has(externalId));
        const conflicts = await withOtherContent(client, earlier);
        if (conflicts.length > 0) throw new Conflict(conflicts);
      }
      const changeIds = [...accepted.values()];
      const { feedItems, deliveries } = await fanOutChanges(client, changeIds, now);
      return {
        kind: 'recorded',
        accepted: changeIds,
        duplicates: ordered.length - changeIds.length,
        feedItems,
        deliveries,
      };
    });
  } catch (error) {
    if (error instanceof Conflict) return { kind: 'conflict', externalIds: error.externalIds };
    throw error;
  }
}

/** Leaves the transaction, so that it rolls back. */
class Conflict extends Error {
  constructor(readonly externalIds: readonly string[]) {
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
  changes: readonly ToldChange[],
  artistIds: ReadonlyMap<string, ArtistId>,
  traceparent: string | null,
): Promise<Map<string, ChangeId>> {
  const artistIdOf = ({ artist }: ToldChange): ArtistId => {
    const artistId = artistIds.get(artist.platformId);
    if (artistId === undefined) throw new Error(`The artist ${artist.platformId} was not recorded.`);
    return artistId;
  };
  const column = <Value>(value: (change: ToldChange) => Value): Value[] => changes.map(value);
  const { rows } = await client.query<{ id: ChangeId; external_id: string }>(
    `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                          detected_at, confirmed_at, external_id, external_digest, webhook_body,
                          traceparent)
     SELECT c.id, c.artist_id, 'confirmed', c.type, c.severity, c.entity_type, c.entity_id, c.entity_name, c.summary,
            c.detected_at, c.confirmed_at, c.external_id, c.external_digest, c.webhook_body, $14::text
       FROM unnest($1::text[], $2::text[], $3::text[], $4::severity[], $5::entity_type[], $6::text[], $7::text[],
                   $8::text[], $9::timestamptz[], $10::timestamptz[], $11::text[], $12::bytea[], $13::text[])
         WITH ORDINALITY AS c (id, artist_id, type, severity, entity_type, entity_id, entity_name, summary, detected_at,
                               confirmed_at, external_id, external_digest, webhook_body, place)
      ORDER BY c.place
     ON CONFLICT (external_id) DO NOTHING
     RETURNING id, external_id`,
    [
      column((change) => change.id),
      column(artistIdOf),
      column((change) => change.type),
      column((change) => change.severity),
      column((change) => change.entityType),
      column((change) => change.entityId),
      column((change) => change.entityName),
      column((change) => change.summary),
      column((change) => change.detectedAt),
      column((change) => change.confirmedAt),
      column((change) => change.externalId),
      column((change) => Buffer.from(change.digest)),
      column((change) => webhookBody({ ...change, artist: { ...change.artist, id: artistIdOf(change) } })),
      traceparent,
    ],
  );
  return new Map(rows.map((row) => [row.external_id, row.id]));
}

async function withOtherContent(client: pg.PoolClient, changes: readonly ToldChange[]): Promise<string[]> {
  const { rows } = await client.query<{ external_id: string }>(
    `SELECT c.external_id
       FROM unnest($1::text[], $2::bytea[]) AS told (external_id, digest)
       JOIN changes c ON c.external_id = told.external_id
      WHERE c.external_digest IS DISTINCT FROM told.digest`,
    [changes.map(({ externalId }) => externalId), changes.map(({ digest }) => Buffer.from(digest))],
  );
  return rows.map((row) => row.external_id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

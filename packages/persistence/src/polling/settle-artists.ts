import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { fanOutChanges } from '../change/change-fan-out.js';
import { wantPictures } from '../change/pictures.js';
import { inRetriedTransaction } from '../database/database-trouble.js';
import { writeSnapshots } from '../snapshot-store.js';
import { type DetectionRow, lockArtists, type PollState, readDetectionRows, readPollStates } from './artist-rows.js';
import { removalsUnderSuspicion } from './due-artists.js';
import { type SettlementRows, showReadings, writeSettlements } from './settlement-writes.js';

export interface SettleRequest {
  readonly platform: Platform;
  /** No artist twice. */
  readonly artistIds: readonly ArtistId[];
  readonly now: Date;
  /** POLL_INTERVAL_FACTOR. */
  readonly intervalFactor: number;
  /** The first day of the history of followers that decisions look at. */
  readonly historySince: Date;
  /** Whether the pictures that confirmed changes name are to be fetched. */
  readonly wantsPictures: boolean;
  /** Whether it takes the artist's catalogue to decide. */
  needsDetection(pollState: PollState): boolean;
  /** Must decide from what it is given alone: it is called again when the transaction is. */
  decide(pollState: PollState, detection: DetectionRow | null, fleet: FleetRemovals): SettlementRows;
}

export interface FleetRemovals {
  readonly watched: number;
  readonly withRemovals: number;
}

const NOT_ASKED: FleetRemovals = { watched: 0, withRemovals: 0 };

/**
 * Settles readings of artists in one transaction that holds the artists: what is decided is decided on what the one
 * before left, on whichever replica, and what follows from a confirmation (feed rows, deliveries) is there with it or
 * not at all.
 *
 * Unchanged artists cost two reads and one write for all of them.
 *
 * @returns how many deliveries were added.
 */
export function settleArtists(pool: pg.Pool, request: SettleRequest): Promise<number> {
  return inRetriedTransaction(pool, async (client) => {
    await lockArtists(client, request.artistIds);
    const pollStates = await readPollStates(client, request.artistIds);
    const closer = pollStates.filter((pollState) => request.needsDetection(pollState)).map(({ id }) => id);
    const detections = closer.length > 0 ? await readDetectionRows(client, closer, request.historySince) : [];
    const fleet = closer.length > 0 ? await removalsUnderSuspicion(client, request.platform) : NOT_ASKED;

    const detectionOf = new Map(detections.map((detection) => [detection.artistId, detection]));
    const rows = pollStates.map((pollState) => request.decide(pollState, detectionOf.get(pollState.id) ?? null, fleet));
    await writeSettlements(client, rows);
    const completeBefore = new Map(pollStates.map(({ id, lastCompleteAt }) => [id, lastCompleteAt]));
    const complete = rows.flatMap(({ artist }) =>
      artist.lastCompleteAt === completeBefore.get(artist.artistId) ? [] : artist,
    );
    await showReadings(client, complete, request.intervalFactor);
    await writeSnapshots(
      client,
      rows.flatMap(({ snapshot }) => snapshot ?? []),
    );
    const confirmed = rows.flatMap(({ changes }) => changes.filter(({ state }) => state === 'confirmed'));
    if (confirmed.length === 0) return 0;
    if (request.wantsPictures) await wantPictures(client, confirmed, request.now);
    const { deliveries } = await fanOutChanges(
      client,
      confirmed.map(({ id }) => id),
      request.now,
    );
    return deliveries;
  });
}

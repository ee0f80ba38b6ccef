import type { Platform } from '@artist-watch/domain/catalogue';
import { parseSuspicion, type Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';

/** What is suspected of an artist, or held, at this moment. */
export interface CheckRecord {
  readonly id: ChangeId;
  readonly artistId: ArtistId;
  readonly artistName: string;
  readonly platform: Platform;
  readonly suspicion: Suspicion;
}

export interface ChecksRequest {
  readonly accountId: AccountId;
  /** Of one artist; of all that the account watches unless given. */
  readonly artistId?: ArtistId;
  /** The check that ended the page before. */
  readonly after?: ChangeId | undefined;
  readonly limit: number;
}

export interface ArtistChecks {
  /**
   * Oldest first; only what was first seen after the watch began, since what was seen before was seen for others.
   *
   * @throws NotFound when the account does not watch such an artist.
   */
  list(request: ChecksRequest): Promise<CheckRecord[]>;
}

interface CheckRow extends Omit<CheckRecord, 'id' | 'suspicion'> {
  readonly id: ChangeId | null;
  readonly difference: unknown;
  readonly observations: unknown;
  readonly notes: unknown;
  readonly held: boolean;
}

export function artistChecks({ pool }: Database): ArtistChecks {
  return {
    async list({ accountId, artistId, after, limit }) {
      const { rows } = await pool.query<CheckRow>({
        name: 'read-checks',
        text: `
          SELECT c.id, a.id AS "artistId", a.name AS "artistName", a.platform, c.difference, c.observations, c.notes,
                 c.state = 'held' AS held
            FROM watches w JOIN artists a ON a.id = w.artist_id
            LEFT JOIN changes c ON c.artist_id = w.artist_id AND c.state IN ('suspected', 'held')
                               AND c.detected_at >= w.created_at AND ($3::text IS NULL OR c.id > $3)
           WHERE w.account_id = $1 AND ($2::text IS NULL OR w.artist_id = $2)
           ORDER BY c.id
           LIMIT $4`,
        values: [accountId, artistId ?? null, after ?? null, limit],
      });
      if (rows.length === 0 && artistId !== undefined) throw new NotFound('artist');
      return rows.flatMap(({ id, difference, observations, notes, held, ...artist }) =>
        id === null ? [] : [{ id, ...artist, suspicion: parseSuspicion({ difference, observations, notes, held }) }],
      );
    },
  };
}

import type { ArtistDetail, ShownArtist } from '@artist-watch/contracts/api/artist';
import type { ReleaseState } from '@artist-watch/domain/catalogue';
import { readRelease } from '@artist-watch/domain/detection/baseline';
import { JsonReader } from '@artist-watch/domain/detection/json-reader';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import { SHOWN_ARTIST, shownArtists } from '../account/artist-list.js';
import type { Database } from '../database/database.js';

export interface WatchReference {
  readonly accountId: AccountId;
  readonly artistId: ArtistId;
}

type CountedArtist = ShownArtist & Pick<ArtistDetail, 'counts'>;

export const BASELINE_COUNTS = `
  SELECT jsonb_array_length(b.state -> 'releases') AS releases,
         (SELECT coalesce(sum(jsonb_array_length(r -> 'tracks')), 0)::int
            FROM jsonb_array_elements(b.state -> 'releases') r WHERE r ? 'tracks') AS tracks
    FROM baselines b`;

export function artistReads({ pool, perAccount }: Database, intervalFactor = 1) {
  /** Serialized per account, because these reads load the artist's whole catalogue. */
  const querySerialized = <Row extends pg.QueryResultRow>(accountId: AccountId, statement: pg.QueryConfig) =>
    perAccount.run(accountId, () => pool.query<Row>(statement));

  return {
    /**
     * @param since changes that were confirmed before this time are not counted.
     * @throws NotFound if the account does not watch the artist.
     */
    async show({ accountId, artistId }: WatchReference, since: Date, now: Date): Promise<CountedArtist> {
      const { rows } = await querySerialized<CountedArtist>(accountId, {
        name: 'read-artist',
        text: `
          SELECT ${SHOWN_ARTIST},
                 json_build_object(
                   'releases', catalogue.releases, 'tracks', catalogue.tracks,
                   'changes', (SELECT count(*) FROM changes c
                                WHERE c.artist_id = shown.id AND c.confirmed_at >= $4
                                  AND EXISTS (SELECT FROM feed_items f
                                               WHERE f.account_id = $1 AND f.confirmed_at = c.confirmed_at
                                                 AND f.change_id = c.id OFFSET 0)),
                   'checks', (SELECT count(*) FROM changes c
                               WHERE c.artist_id = shown.id AND c.state IN ('suspected', 'held')
                                 AND c.detected_at >= shown.watched_since)) AS counts
            FROM (${shownArtists(intervalFactor)} AND w.artist_id = $3) shown
            LEFT JOIN LATERAL (${BASELINE_COUNTS} WHERE b.artist_id = shown.id AND shown.last_complete_at IS NOT NULL) catalogue
                   ON true`,
        values: [accountId, now, artistId, since],
      });
      if (!rows[0]) throw new NotFound('artist');
      return rows[0];
    },

    /**
     * Returns nothing before the first complete observation of this watch.
     * @throws NotFound
     */
    async releases(
      { accountId, artistId }: WatchReference,
      { offset, limit }: { readonly offset: number; readonly limit: number },
    ) {
      const { rows } = await querySerialized<{ release: unknown }>(accountId, {
        name: 'read-releases',
        text: `
          SELECT release
            FROM watches w
            LEFT JOIN LATERAL (
                   SELECT release
                     FROM baselines b CROSS JOIN LATERAL jsonb_array_elements(b.state -> 'releases') release
                    WHERE b.artist_id = w.artist_id AND w.last_complete_at IS NOT NULL
                    ORDER BY release ->> 'releaseDate' DESC NULLS LAST, release ->> 'platformId'
                   OFFSET $3 LIMIT $4) catalogue ON true
           WHERE w.account_id = $1 AND w.artist_id = $2`,
        values: [accountId, artistId, offset, limit + 1],
      });
      if (rows.length === 0) throw new NotFound('artist');
      const releases: ReleaseState[] = rows.flatMap(({ release }) =>
        release === null ? [] : [readRelease(new JsonReader(release, 'release'))],
      );
      return {
        releases: releases.slice(0, limit),
        nextOffset: releases.length > limit ? offset + limit : undefined,
      };
    },
  };
}

const MAX_NAMES = 1_000;

export interface ArtistName {
  readonly id: ArtistId;
  readonly name: string;
}

export async function artistNames({ pool }: Pick<Database, 'pool'>, accountId: AccountId): Promise<ArtistName[]> {
  const { rows } = await pool.query<ArtistName>({
    name: 'artist-names',
    // Scans once for all ids, so that neighboring index entries are read together.
    text: `SELECT id, name FROM artists WHERE id = ANY(ARRAY(SELECT artist_id FROM watches WHERE account_id = $1))
            ORDER BY lower(name), id LIMIT ${MAX_NAMES}`,
    values: [accountId],
  });
  return rows;
}

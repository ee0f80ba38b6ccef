import type { ArtistDay, ArtistDetail, ShownArtist } from '@artist-watch/contracts/api/artist';
import type { Shown } from '@artist-watch/contracts/api/fields';
import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import type { Platform, ReleaseState } from '@artist-watch/domain/catalogue';
import { readRelease } from '@artist-watch/domain/detection/baseline';
import { JsonReader } from '@artist-watch/domain/detection/json-reader';
import { parseSuspicion, type Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import { SHOWN_ARTIST, shownArtists } from '../account/artist-list.js';
import type { Database } from '../database/database.js';

interface WatchReference {
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

interface CheckRecord {
  readonly id: ChangeId;
  readonly artistId: ArtistId;
  readonly artistName: string;
  readonly platform: Platform;
  readonly suspicion: Suspicion;
}

interface ChecksRequest {
  readonly accountId: AccountId;
  readonly artistId?: ArtistId;
  readonly after?: ChangeId | undefined;
  readonly limit: number;
}

interface CheckRow extends Omit<CheckRecord, 'id' | 'suspicion'> {
  readonly id: ChangeId | null;
  readonly difference: unknown;
  readonly observations: unknown;
  readonly notes: unknown;
  readonly held: boolean;
}

/** @param open SQL that selects open changes, with the watched artist as `watched`. */
function selectChecks(open: string): string {
  return `
    SELECT c.id, a.id AS "artistId", a.name AS "artistName", a.platform, c.difference, c.observations, c.notes,
           c.state = 'held' AS held
      FROM (${open} ORDER BY open.id LIMIT $3) c
      JOIN artists a ON a.id = c.watched
     ORDER BY c.id`;
}

/** Uses the partial index on open changes, which is small. */
function selectOpenChanges(which: string): string {
  return `SELECT * FROM changes c
           WHERE c.artist_id ${which} AND c.state IN ('suspected', 'held') AND ($2::text IS NULL OR c.id > $2) OFFSET 0`;
}

const CHECKS = {
  name: 'read-checks',
  // Scans once for all artists, so that neighboring index entries are read together.
  text: selectChecks(`
    SELECT open.artist_id AS watched, open.*
      FROM (${selectOpenChanges('= ANY(ARRAY(SELECT artist_id FROM watches WHERE account_id = $1))')}) open
      JOIN watches w ON w.account_id = $1 AND w.artist_id = open.artist_id AND w.created_at <= open.detected_at`),
};
const ARTIST_CHECKS = {
  name: 'read-checks-of-artist',
  text: selectChecks(`
    SELECT w.artist_id AS watched, open.*
      FROM watches w LEFT JOIN LATERAL (${selectOpenChanges('= w.artist_id AND c.detected_at >= w.created_at')}) open ON true
     WHERE w.account_id = $1 AND w.artist_id = $4`),
};

/**
 * Returns checks that began after the watch, oldest first.
 * @throws NotFound if the account does not watch the artist.
 */
export async function readChecks(
  { pool }: Pick<Database, 'pool'>,
  { accountId, artistId, after, limit }: ChecksRequest,
): Promise<CheckRecord[]> {
  const { rows } = await pool.query<CheckRow>({
    ...(artistId === undefined ? CHECKS : ARTIST_CHECKS),
    values: [accountId, after ?? null, limit, ...(artistId === undefined ? [] : [artistId])],
  });
  if (rows.length === 0 && artistId !== undefined) throw new NotFound('artist');
  return rows.flatMap(({ id, difference, observations, notes, held, ...artist }) =>
    id === null ? [] : [{ id, ...artist, suspicion: parseSuspicion({ difference, observations, notes, held }) }],
  );
}

const DAY_MS = 86_400_000;

/**
 * Caps the daily counts at the number of checks in the account's own plan, because higher counts would reveal other
 * watchers.
 */
export type ArtistDayRecord = Shown<ArtistDay>;

/**
 * Returns the days since `since`, oldest first, without any days before the watch.
 * @throws NotFound if the account does not watch the artist.
 */
export async function readArtistDays(
  { pool }: Pick<Database, 'pool'>,
  intervalFactor: number,
  watch: WatchReference & { readonly plan: PlanName },
  since: Date,
): Promise<ArtistDayRecord[]> {
  const { accountId, artistId, plan } = watch;
  const maxReadingsPerDay = Math.ceil(DAY_MS / (PLANS[plan].pollIntervalMs * intervalFactor));
  const { rows } = await pool.query<Omit<ArtistDayRecord, 'day'> & { day: string | null }>({
    name: 'read-artist-days',
    text: `
      SELECT to_char(day, 'YYYY-MM-DD') AS day, followers, "monthlyListeners", releases, tracks,
             least(coalesce(readings, 0), $4)::int AS readings,
             least(coalesce(complete_readings, 0), $4)::int AS "completeReadings"
        FROM watches w
        LEFT JOIN LATERAL (
               SELECT day, m.followers, m.monthly_listeners AS "monthlyListeners", d.releases, d.tracks, d.readings,
                      d.complete_readings
                 FROM (SELECT * FROM artist_metrics WHERE artist_id = w.artist_id) m
                 FULL JOIN (SELECT * FROM artist_days WHERE artist_id = w.artist_id) d USING (day)
                WHERE day >= (greatest($3::timestamptz, w.created_at) AT TIME ZONE 'UTC')::date) days ON true
       WHERE w.account_id = $1 AND w.artist_id = $2
       ORDER BY day`,
    values: [accountId, artistId, since, maxReadingsPerDay],
  });
  if (rows.length === 0) throw new NotFound('artist');
  return rows.flatMap(({ day, ...counts }) => (day === null ? [] : [{ day, ...counts }]));
}

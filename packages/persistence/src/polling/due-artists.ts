import type { Platform } from '@artist-watch/domain/catalogue';
import { type PollCycle, REMOVAL_TYPES } from '@artist-watch/domain/detection/brake';
import type { ArtistId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { planInterval } from '../account/artist-list.js';
import type { PollState } from './artist-rows.js';

/** An artist whose time has come, claimed for one reading. */
export interface DueArtist
  extends Pick<PollState, 'id' | 'platformId' | 'lastCompleteAt' | 'digest' | 'hasSuspicions'> {
  /** Which of its account's artists in this queue it is, from 1, counting those that are being read; none for closer ones. */
  readonly turn?: number;
  /** It was claimed for a closer reading of some of its releases, before it is due. */
  readonly closer?: CloserClaim;
}

/** `deep` readings read releases by themselves, `full` ones each of their tracks as well. */
export type CloserDepth = 'deep' | 'full';

export interface CloserClaim {
  readonly depth: CloserDepth;
  /** The release that the last one of this depth ended with; null at the beginning of a turn. */
  readonly after: string | null;
  /** In which all releases are to be read, in milliseconds. */
  readonly intervalMs: number;
}

export interface NextCloserReading {
  /** When the next one is aimed at. */
  readonly at: Date;
  readonly after: string | null;
}

/**
 * What an artist waits for: its `first` reading; the next one, which is `learning` the tracks of its releases; a `usual` one;
 * or a `closer` reading of some releases, for which nothing but the spare requests of the platform's budget is spent. Each
 * kind has a queue of its own, so that many in one of them keep nobody in another waiting.
 */
export type ReadingKind = 'first' | 'learning' | 'usual' | 'closer';

type DueKind = Exclude<ReadingKind, 'closer'>;

const WHICH: Readonly<Record<DueKind, string>> = {
  first: 'last_polled_at IS NULL',
  learning: 'learning',
  usual: 'last_polled_at IS NOT NULL AND NOT learning',
};

const IS_DUE = 'platform = $1 AND next_poll_at <= $3';
const IS_FREE = '(poll_claimed_until IS NULL OR poll_claimed_until <= $3)';

/** How often an account can ask for a usual reading is limited by its plan: the longest overdue go first. */
const OLDEST_FIRST = `
  SELECT id, 1 AS turn FROM artists WHERE ${IS_DUE} AND ${IS_FREE} AND ${WHICH.usual}
   ORDER BY next_poll_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`;

/**
 * Accounts take turns: of each the first artist, then of each the second one, those that are being read included. Of the
 * same turn, the account that waits for the fewest goes first.
 */
function inTurns(kind: DueKind): string {
  return `
    SELECT artists.id, turns.turn::int
      FROM artists
      JOIN (SELECT id, min(turn) AS turn, min(waiting) AS waiting
              FROM (SELECT a.id, count(*) OVER (PARTITION BY w.account_id) AS waiting,
                           row_number() OVER (PARTITION BY w.account_id
                                                  ORDER BY a.is_free, a.next_poll_at, a.id) AS turn
                      FROM (SELECT id, next_poll_at, ${IS_FREE} AS is_free
                              FROM artists WHERE ${IS_DUE} AND ${WHICH[kind]}) a
                      JOIN watches w ON w.artist_id = a.id) queued
             GROUP BY id) turns ON turns.id = artists.id
     WHERE ${IS_DUE} AND ${IS_FREE} AND ${WHICH[kind]} AND turns.turn <= $5
     ORDER BY turns.turn, turns.waiting, artists.next_poll_at LIMIT $2 FOR NO KEY UPDATE OF artists SKIP LOCKED`;
}

const CLAIMED = `
  SELECT c.id, c.platform_id AS "platformId", c.last_complete_at AS "lastCompleteAt", b.digest,
         EXISTS (SELECT 1 FROM changes WHERE artist_id = c.id AND state IN ('suspected', 'held')) AS "hasSuspicions"`;

/** About as long as a closer reading takes: it holds the artist, and a reading that confirms something must not wait for it. */
const CLOSER_READING_LASTS_S = 20;

export interface DueArtistsOptions {
  readonly platform: Platform;
  /** How long a claim lasts that is not renewed: what a dead replica was reading is read after it. */
  readonly leaseMs: number;
  /** POLL_INTERVAL_FACTOR. */
  readonly intervalFactor: number;
}

export type DueArtists = ReturnType<typeof dueArtists>;

/** The artists of a platform whose time has come, of whom each is claimed by one reading at a time. */
export function dueArtists(
  { pool }: { readonly pool: pg.Pool },
  { platform, leaseMs, intervalFactor }: DueArtistsOptions,
) {
  const until = (now: Date) => new Date(now.getTime() + leaseMs);

  /** The stalest first, and none that is due before its closer reading ends. */
  async function claimCloser(depth: CloserDepth, limit: number, now: Date): Promise<DueArtist[]> {
    type Row = DueArtist & { readonly after: string | null; readonly planIntervalMs: number };
    const { rows } = await pool.query<Row>(
      `WITH claimed AS (
         UPDATE artists SET poll_claimed_until = $4
           FROM (SELECT id FROM artists
                  WHERE platform = $1 AND next_poll_at > $3::timestamptz + interval '${CLOSER_READING_LASTS_S} seconds'
                    AND ${depth}_look_at <= $3 AND ${IS_FREE}
                    AND last_complete_at IS NOT NULL AND not_found_since IS NULL AND merged_into IS NULL
                    AND incomplete_polls = 0 AND NOT learning
                  ORDER BY ${depth}_look_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) AS due
          WHERE artists.id = due.id
         RETURNING artists.id, artists.platform_id, artists.last_complete_at, artists.${depth}_look_after AS after)
       ${CLAIMED}, c.after,
              (SELECT extract(epoch FROM min(${planInterval('account.plan', 1)})) * 1000
                 FROM watches w JOIN accounts account ON account.id = w.account_id
                WHERE w.artist_id = c.id)::float8 AS "planIntervalMs"
         FROM claimed c LEFT JOIN baselines b ON b.artist_id = c.id`,
      [platform, limit, now, until(now)],
    );
    return rows.map(({ after, planIntervalMs, ...artist }) => ({
      ...artist,
      closer: { depth, after, intervalMs: planIntervalMs * intervalFactor },
    }));
  }

  return {
    /**
     * Claims up to `limit` artists: of the usual readings the longest overdue first, of the closer ones the stalest, of the
     * others the accounts in turns, so that no account has more than `mostOfAccount` of them read at once. Replicas pass over
     * each other's rows; what a dead one had claimed is free again after its lease.
     */
    async claim(kind: ReadingKind, limit: number, mostOfAccount: number, now: Date): Promise<DueArtist[]> {
      if (kind === 'closer') {
        const deep = await claimCloser('deep', limit, now);
        return deep.length < limit ? [...deep, ...(await claimCloser('full', limit - deep.length, now))] : deep;
      }
      const values = [platform, limit, now, until(now)];
      const { rows } = await pool.query<DueArtist>(
        `WITH claimed AS (
           UPDATE artists SET poll_claimed_until = $4
             FROM (${kind === 'usual' ? OLDEST_FIRST : inTurns(kind)}) AS due
            WHERE artists.id = due.id
           RETURNING artists.id, artists.platform_id, artists.last_complete_at, due.turn)
         ${CLAIMED}, c.turn FROM claimed c LEFT JOIN baselines b ON b.artist_id = c.id`,
        kind === 'usual' ? values : [...values, mostOfAccount],
      );
      return rows;
    },

    /** Notes when the next closer reading of the artist is aimed at, and after which release it begins. */
    async noteCloser(artistId: ArtistId, depth: CloserDepth, next: NextCloserReading): Promise<void> {
      await pool.query(`UPDATE artists SET ${depth}_look_at = $2, ${depth}_look_after = $3 WHERE id = $1`, [
        artistId,
        next.at,
        next.after,
      ]);
    },

    /** Keeps claims for readings that last. */
    renew: (artistIds: readonly ArtistId[], now: Date) => setClaims(artistIds, until(now)),

    /** Gives artists back unread, so that another replica can take them at once. */
    release: (artistIds: readonly ArtistId[]) => setClaims(artistIds, null),
  };

  async function setClaims(artistIds: readonly ArtistId[], claimedUntil: Date | null): Promise<void> {
    await pool.query(
      `UPDATE artists SET poll_claimed_until = $2
         FROM (SELECT id FROM artists WHERE id = ANY($1) AND poll_claimed_until IS NOT NULL
                ORDER BY platform_id COLLATE "C" FOR NO KEY UPDATE) AS held
        WHERE artists.id = held.id`,
      [artistIds, claimedUntil],
    );
  }
}

export interface PollingProgress {
  /** When the artist that is overdue the longest was due; null when none is. Learning tracks has no time to keep. */
  readonly oldestDueAt: Date | null;
  readonly watched: number;
  readonly suspected: number;
  readonly held: number;
}

/** For metrics: each part is read from an index of its own. */
export async function pollingProgress(pool: pg.Pool, platform: Platform, now: Date): Promise<PollingProgress> {
  const { rows } = await pool.query<PollingProgress>(
    `SELECT (SELECT next_poll_at FROM artists WHERE platform = $1 AND next_poll_at <= $2 AND NOT learning
              ORDER BY next_poll_at LIMIT 1) AS "oldestDueAt",
            (SELECT count(*)::int FROM artists WHERE platform = $1 AND next_poll_at IS NOT NULL) AS watched,
            open.suspected, open.held
       FROM (SELECT count(*) FILTER (WHERE state = 'suspected')::int AS suspected,
                    count(*) FILTER (WHERE state = 'held')::int AS held
               FROM changes WHERE state IN ('suspected', 'held')) AS open`,
    [platform, now],
  );
  return rows[0] ?? { oldestDueAt: null, watched: 0, suspected: 0, held: 0 };
}

/** How many artists are watched, and of how many something is suspected to be removed: what the fleet brake asks. */
export async function removalsUnderSuspicion(client: pg.Pool | pg.PoolClient, platform: Platform): Promise<PollCycle> {
  const { rows } = await client.query<PollCycle>(
    `SELECT (SELECT count(*)::int FROM artists WHERE platform = $1 AND next_poll_at IS NOT NULL) AS "artistsPolled",
            (SELECT count(DISTINCT c.artist_id)::int
               FROM changes c JOIN artists a ON a.id = c.artist_id AND a.platform = $1 AND a.next_poll_at IS NOT NULL
              WHERE c.state IN ('suspected', 'held') AND c.type = ANY($2)) AS "artistsWithRemovals"`,
    [platform, REMOVAL_TYPES],
  );
  return rows[0] ?? { artistsPolled: 0, artistsWithRemovals: 0 };
}

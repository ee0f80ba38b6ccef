import type { Platform } from '@artist-watch/domain/catalogue';
import { type PollCycle, REMOVAL_TYPES } from '@artist-watch/domain/detection/brake';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { planInterval } from '../account/artist-list.js';
import type { PollState } from './artist-rows.js';

export interface DueArtist
  extends Pick<PollState, 'id' | 'platformId' | 'lastCompleteAt' | 'digest' | 'hasSuspicions'> {
  /** The artist's position among the account's artists in this queue, starting at 1. Absent for `closer` polls. */
  readonly rank?: number;
  /**
   * The account whose share of the budget the requests use. If several watchers have the fastest plan, the first of
   * them to watch the artist is used.
   */
  readonly account?: AccountId | null;
  /** Set for a `closer` poll, which reads some releases in detail. */
  readonly closer?: CloserClaim;
}

/** `deep` reads individual releases with their tracks. `full` also requests each track by id. */
export type CloserDepth = 'deep' | 'full';

export interface CloserClaim {
  readonly depth: CloserDepth;
  /** The last release read by the previous poll, or null at the start of a rotation. */
  readonly after: string | null;
  readonly intervalMs: number;
}

export interface NextCloserPoll {
  readonly at: Date;
  readonly after: string | null;
}

/** Each kind has its own queue, so no kind delays another. A `closer` poll uses only spare requests. */
export type ReadingKind = 'first' | 'learning' | 'usual' | 'closer';

type DueKind = Exclude<ReadingKind, 'closer'>;

const CONDITIONS: Readonly<Record<DueKind, string>> = {
  first: 'last_polled_at IS NULL',
  learning: 'learning',
  usual: 'last_polled_at IS NOT NULL AND NOT learning',
};

const IS_DUE = 'platform = $1 AND next_poll_at <= $3';
const IS_FREE = '(poll_claimed_until IS NULL OR poll_claimed_until <= $3)';

function payerSql(artistId: string): string {
  return `(SELECT w.account_id FROM watches w JOIN accounts payer ON payer.id = w.account_id
            WHERE w.artist_id = ${artistId} ORDER BY ${planInterval('payer.plan', 1)}, w.id LIMIT 1)`;
}

/**
 * Needs no round-robin, because the plan already limits an account's `usual` polls. $5 is the maximum number of polls
 * in progress per account, and $6 maps account ids to the number in progress.
 */
const OLDEST_FIRST = `
  SELECT id, turn FROM (
    SELECT id, coalesce(($6::jsonb ->> account)::int, 0) + row_number() OVER (PARTITION BY account ORDER BY next_poll_at) AS turn
      FROM (SELECT id, next_poll_at, ${payerSql('artists.id')} AS account
              FROM artists WHERE ${IS_DUE} AND ${IS_FREE} AND ${CONDITIONS.usual}
               AND ($6::jsonb = '{}' OR coalesce(($6::jsonb ->> ${payerSql('artists.id')})::int, 0) < $5)
             ORDER BY next_poll_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) oldest) turns
   WHERE turn <= $5`;

/** Selects due artists round-robin across accounts. Polls in progress count toward their account's share. */
function roundRobin(kind: DueKind): string {
  return `
    SELECT artists.id, turns.turn::int
      FROM artists
      JOIN (SELECT id, min(turn) AS turn, min(waiting) AS waiting
              FROM (SELECT a.id, count(*) OVER (PARTITION BY w.account_id) AS waiting,
                           row_number() OVER (PARTITION BY w.account_id
                                                  ORDER BY a.is_free, a.next_poll_at, a.id) AS turn
                      FROM (SELECT id, next_poll_at, ${IS_FREE} AS is_free
                              FROM artists WHERE ${IS_DUE} AND ${CONDITIONS[kind]}) a
                      JOIN watches w ON w.artist_id = a.id) queued
             GROUP BY id) turns ON turns.id = artists.id
     WHERE ${IS_DUE} AND ${IS_FREE} AND ${CONDITIONS[kind]} AND turns.turn <= $5
     ORDER BY turns.turn, turns.waiting, artists.next_poll_at LIMIT $2 FOR NO KEY UPDATE OF artists SKIP LOCKED`;
}

const CLAIMED = `
  SELECT c.id, c.platform_id AS "platformId", c.last_complete_at AS "lastCompleteAt", b.digest,
         ${payerSql('c.id')} AS account,
         EXISTS (SELECT 1 FROM changes WHERE artist_id = c.id AND state IN ('suspected', 'held')) AS "hasSuspicions"`;

/** No `closer` poll is claimed this close to a regular poll, so that the regular poll doesn't have to wait. */
const CLOSER_POLL_SECONDS = 20;

export interface DueArtistsOptions {
  readonly platform: Platform;
  /** If a replica dies, other replicas can poll its artists after this time. */
  readonly leaseMs: number;
  readonly intervalFactor: number;
}

export type DueArtists = ReturnType<typeof dueArtists>;

/** An artist can be claimed for only one poll at a time. */
export function dueArtists(
  { pool }: { readonly pool: pg.Pool },
  { platform, leaseMs, intervalFactor }: DueArtistsOptions,
) {
  const leaseEnd = (now: Date) => new Date(now.getTime() + leaseMs);

  /** Skips artists whose regular poll is due before the `closer` poll would end. */
  async function claimCloser(depth: CloserDepth, limit: number, now: Date): Promise<DueArtist[]> {
    type Row = DueArtist & { readonly after: string | null; readonly planIntervalMs: number };
    const { rows } = await pool.query<Row>(
      `WITH claimed AS (
         UPDATE artists SET poll_claimed_until = $4
           FROM (SELECT id FROM artists
                  WHERE platform = $1 AND next_poll_at > $3::timestamptz + interval '${CLOSER_POLL_SECONDS} seconds'
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
      [platform, limit, now, leaseEnd(now)],
    );
    return rows.map(({ after, planIntervalMs, ...artist }) => ({
      ...artist,
      closer: { depth, after, intervalMs: planIntervalMs * intervalFactor },
    }));
  }

  return {
    /**
     * Claims up to `limit` artists, and at most `maxPerAccount` per account. If a replica dies, its claims expire when
     * their lease ends.
     * @param inProgress the number of `usual` polls in progress per account id.
     */
    async claim(
      kind: ReadingKind,
      limit: number,
      maxPerAccount: number,
      now: Date,
      inProgress: Readonly<Record<string, number>> = {},
    ): Promise<DueArtist[]> {
      if (kind === 'closer') {
        const deep = await claimCloser('deep', limit, now);
        return deep.length < limit ? [...deep, ...(await claimCloser('full', limit - deep.length, now))] : deep;
      }
      const values = [platform, limit, now, leaseEnd(now), maxPerAccount];
      const { rows } = await pool.query<DueArtist>(
        `WITH claimed AS (
           UPDATE artists SET poll_claimed_until = $4
             FROM (${kind === 'usual' ? OLDEST_FIRST : roundRobin(kind)}) AS due
            WHERE artists.id = due.id
           RETURNING artists.id, artists.platform_id, artists.last_complete_at, due.turn)
         ${CLAIMED}, c.turn AS rank FROM claimed c LEFT JOIN baselines b ON b.artist_id = c.id`,
        kind === 'usual' ? [...values, inProgress] : values,
      );
      return rows;
    },

    async scheduleCloser(artistId: ArtistId, depth: CloserDepth, next: NextCloserPoll): Promise<void> {
      await pool.query(`UPDATE artists SET ${depth}_look_at = $2, ${depth}_look_after = $3 WHERE id = $1`, [
        artistId,
        next.at,
        next.after,
      ]);
    },

    renew: (artistIds: readonly ArtistId[], now: Date) => setClaims(artistIds, leaseEnd(now)),

    /** Releases claims without polling, so that another replica can claim the artists immediately. */
    release: (artistIds: readonly ArtistId[]) => setClaims(artistIds, null),
  };

  async function setClaims(artistIds: readonly ArtistId[], claimedUntil: Date | null): Promise<void> {
    await pool.query(
      `UPDATE artists SET poll_claimed_until = $2
         FROM (SELECT id FROM artists WHERE id = ANY($1) AND poll_claimed_until IS NOT NULL
                ORDER BY platform_id COLLATE "C" FOR NO KEY UPDATE) AS locked
        WHERE artists.id = locked.id`,
      [artistIds, claimedUntil],
    );
  }
}

export interface PollingProgress {
  /** When the most overdue artist was due. Ignores missing artists and polls without a deadline. */
  readonly oldestDueAt: Date | null;
  readonly watched: number;
  readonly suspected: number;
  readonly held: number;
}

/**
 * Reads only artists that are due or whose last poll was incomplete, because no others can be overdue.
 * @param intervalFactor POLL_INTERVAL_FACTOR.
 */
export async function pollingProgress(
  pool: pg.Pool,
  platform: Platform,
  intervalFactor: number,
  now: Date,
): Promise<PollingProgress> {
  const { rows } = await pool.query<PollingProgress>(
    `SELECT (SELECT min(greatest(a.last_complete_at, w.created_at) + ${planInterval('c.plan', intervalFactor)})
               FROM artists a JOIN watches w ON w.artist_id = a.id JOIN accounts c ON c.id = w.account_id
              WHERE a.platform = $1 AND a.last_complete_at IS NOT NULL AND NOT a.learning
                AND a.not_found_since IS NULL AND a.merged_into IS NULL
                AND (a.next_poll_at <= $2 OR a.next_poll_at IS NOT NULL AND a.incomplete_polls > 0)) AS "oldestDueAt",
            (SELECT count(*)::int FROM artists WHERE platform = $1 AND next_poll_at IS NOT NULL) AS watched,
            open.suspected, open.held
       FROM (SELECT count(*) FILTER (WHERE state = 'suspected')::int AS suspected,
                    count(*) FILTER (WHERE state = 'held')::int AS held
               FROM changes WHERE state IN ('suspected', 'held')) AS open`,
    [platform, now],
  );
  return rows[0] ?? { oldestDueAt: null, watched: 0, suspected: 0, held: 0 };
}

export async function countSuspectedRemovals(client: pg.Pool | pg.PoolClient, platform: Platform): Promise<PollCycle> {
  const { rows } = await client.query<PollCycle>(
    `SELECT (SELECT count(*)::int FROM artists WHERE platform = $1 AND next_poll_at IS NOT NULL) AS "artistsPolled",
            (SELECT count(DISTINCT c.artist_id)::int
               FROM changes c JOIN artists a ON a.id = c.artist_id AND a.platform = $1 AND a.next_poll_at IS NOT NULL
              WHERE c.state IN ('suspected', 'held') AND c.type = ANY($2)) AS "artistsWithRemovals"`,
    [platform, REMOVAL_TYPES],
  );
  return rows[0] ?? { artistsPolled: 0, artistsWithRemovals: 0 };
}

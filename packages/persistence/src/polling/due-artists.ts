import type { Platform } from '@artist-watch/domain/catalogue';
import { type PollCycle, REMOVAL_TYPES } from '@artist-watch/domain/detection/brake';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { planInterval } from '../account/artist-list.js';
import type { PollState } from './artist-rows.js';

/** An artist that is claimed for one poll. */
export interface DueArtist
  extends Pick<PollState, 'id' | 'platformId' | 'lastCompleteAt' | 'digest' | 'hasSuspicions'> {
  /**
   * 1-based position among its account's artists in this queue, including artists that are being polled. Absent for
   * `closer` polls.
   */
  readonly rank?: number;
  /**
   * The account that the artist's requests are charged to. Among the watchers with the fastest plan, it is the one that
   * has watched the artist longest. An account therefore pays only for artists that it would also pay for as the only
   * watcher, and the other watchers pay nothing. Null if there are no watchers.
   */
  readonly account?: AccountId | null;
  /** Set for a `closer` poll, which reads some releases in detail before the artist is due. */
  readonly closer?: CloserClaim;
}

/** `deep` reads individual releases, including their track lists; `full` also requests each track by id. */
export type CloserDepth = 'deep' | 'full';

export interface CloserClaim {
  readonly depth: CloserDepth;
  /** The cursor, which is the last release of the previous poll with this depth; null at the start of a rotation. */
  readonly after: string | null;
  /** Time for one rotation through all releases, in milliseconds. */
  readonly intervalMs: number;
}

export interface NextCloserPoll {
  /** Planned time of the next `closer` poll. */
  readonly at: Date;
  readonly after: string | null;
}

/**
 * The kind of poll. A `first` poll is the first one of an artist. A `learning` poll reads the tracks of all releases. A
 * `usual` poll is any later regular poll. A `closer` poll reads some releases in detail and uses only spare requests of
 * the platform's budget. Each kind has its own queue, so that a long queue of one kind does not delay another.
 */
export type ReadingKind = 'first' | 'learning' | 'usual' | 'closer';

type DueKind = Exclude<ReadingKind, 'closer'>;

const CONDITIONS: Readonly<Record<DueKind, string>> = {
  first: 'last_polled_at IS NULL',
  learning: 'learning',
  usual: 'last_polled_at IS NOT NULL AND NOT learning',
};

const IS_DUE = 'platform = $1 AND next_poll_at <= $3';
const IS_FREE = '(poll_claimed_until IS NULL OR poll_claimed_until <= $3)';

/** Builds the SQL expression for `DueArtist.account`. @param artistId SQL expression for the artist's id */
function payerSql(artistId: string): string {
  return `(SELECT w.account_id FROM watches w JOIN accounts payer ON payer.id = w.account_id
            WHERE w.artist_id = ${artistId} ORDER BY ${planInterval('payer.plan', 1)}, w.id LIMIT 1)`;
}

/**
 * Selects artists for `usual` polls, longest overdue first. Accounts need not take turns, because the plan already limits
 * their `usual` polls. $6 contains the number of polls in progress per account.
 */
const OLDEST_FIRST = `
  SELECT id, turn FROM (
    SELECT id, coalesce(($6::jsonb ->> account)::int, 0) + row_number() OVER (PARTITION BY account ORDER BY next_poll_at) AS turn
      FROM (SELECT id, next_poll_at, ${payerSql('artists.id')} AS account
              FROM artists WHERE ${IS_DUE} AND ${IS_FREE} AND ${CONDITIONS.usual}
               AND ($6::jsonb = '{}' OR coalesce(($6::jsonb ->> ${payerSql('artists.id')})::int, 0) < $5)
             ORDER BY next_poll_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) oldest) turns
   WHERE turn <= $5`;

/**
 * Builds the SQL that selects artists round-robin over accounts: the first artist of each account, then the second, and
 * so on. Artists that are being polled also count. Within a round, accounts with fewer waiting artists come first.
 */
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

/**
 * Approximate duration of a `closer` poll. During this time the artist is claimed, and a regular poll that confirms a
 * change must not wait for the claim.
 */
const CLOSER_POLL_SECONDS = 20;

export interface DueArtistsOptions {
  readonly platform: Platform;
  /**
   * Duration of a claim that is not renewed. Afterwards another replica can poll the artists that a dead replica had
   * claimed.
   */
  readonly leaseMs: number;
  /** POLL_INTERVAL_FACTOR. */
  readonly intervalFactor: number;
}

export type DueArtists = ReturnType<typeof dueArtists>;

/** Opens the queues of due artists of a platform. An artist can be claimed for only one poll at a time. */
export function dueArtists(
  { pool }: { readonly pool: pg.Pool },
  { platform, leaseMs, intervalFactor }: DueArtistsOptions,
) {
  const leaseEnd = (now: Date) => new Date(now.getTime() + leaseMs);

  /**
   * Claims artists for `closer` polls, longest overdue first. Skips artists whose regular poll is due before the
   * `closer` poll would end.
   */
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
     * Claims up to `limit` artists. For `usual` and `closer` polls, the longest overdue artists come first. For other
     * kinds, artists are claimed round-robin over accounts. Except for `closer` polls, at most `maxPerAccount` artists
     * of one account are claimed at the same time. Replicas skip each other's rows. The claims of a dead replica expire
     * with their lease.
     *
     * @param inProgress the number of `usual` polls in progress, by account id.
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

    /** Stores the planned time and the cursor of the artist's next `closer` poll. */
    async scheduleCloser(artistId: ArtistId, depth: CloserDepth, next: NextCloserPoll): Promise<void> {
      await pool.query(`UPDATE artists SET ${depth}_look_at = $2, ${depth}_look_after = $3 WHERE id = $1`, [
        artistId,
        next.at,
        next.after,
      ]);
    },

    /** Renews claims for polls that are still running. */
    renew: (artistIds: readonly ArtistId[], now: Date) => setClaims(artistIds, leaseEnd(now)),

    /** Releases claims without a poll, so that another replica can claim the artists at once. */
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
  /**
   * Due time of the artist that is longest overdue: one interval of its plan after its last complete observation. Null
   * if no artist is overdue. First polls and learning polls do not count, because they have no deadline. Artists that
   * are missing on the platform do not count either.
   */
  readonly oldestDueAt: Date | null;
  readonly watched: number;
  readonly suspected: number;
  readonly held: number;
}

/**
 * Returns the progress of polling, for metrics.
 *
 * Only artists that are due or whose last poll was incomplete can be overdue, so the query does not read other watches.
 * A watch that began after the last complete observation is overdue one interval after its start.
 *
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

/** Counts the watched artists and the artists with suspected removals, for the fleet brake. */
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

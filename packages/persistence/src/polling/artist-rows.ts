import { PLAN_NAMES, PLANS } from '@artist-watch/domain/account/plans';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';

/** What is known of an artist without its catalogue: all that an unchanged artist needs. */
export interface PollState {
  readonly id: ArtistId;
  readonly platformId: string;
  readonly name: string;
  readonly followers: number;
  readonly monthlyListeners: number;
  /** Null before the first. */
  readonly metricsObservedAt: Date | null;
  /** Null while nobody watches it. */
  readonly nextPollAt: Date | null;
  readonly lastPolledAt: Date | null;
  readonly lastCompleteAt: Date | null;
  /** Polls in a row that were not complete. */
  readonly incompletePolls: number;
  /** The first of the readings in a row that found no such artist; null after one that found it. */
  readonly notFoundSince: Date | null;
  /** It has a baseline, and the next reading learns the tracks of its releases. */
  readonly learning: boolean;
  /** The fastest interval among the plans of those who watch it, in milliseconds; null when nobody does. */
  readonly planIntervalMs: number | null;
  /** Since when one of those has watched it who watch it now; null when nobody does. */
  readonly watchedSince: Date | null;
  /** Of the last reading that showed no difference; null before the baseline, empty where none is known. */
  readonly digest: Buffer | null;
  readonly hasSuspicions: boolean;
}

export interface OpenChangeRow {
  readonly id: ChangeId;
  readonly differenceKey: string;
  readonly held: boolean;
  readonly difference: unknown;
  readonly observations: unknown;
  readonly notes: unknown;
}

/** An operator dismissed it, and the difference still shows. */
export interface IgnoredChangeRow {
  readonly id: ChangeId;
  readonly difference: unknown;
}

/** What an artist's observations are compared with, as it is stored. */
export interface DetectionRow {
  readonly artistId: ArtistId;
  /** Null before the first complete observation. */
  readonly baseline: unknown;
  readonly openChanges: readonly OpenChangeRow[];
  readonly ignoredChanges: readonly IgnoredChangeRow[];
  /** One value a UTC day, of the last four weeks. */
  readonly followersHistory: readonly { readonly day: Date; readonly followers: number }[];
}

/**
 * Locks artists until the end of the transaction, in the order in which everybody locks them (known-artists.ts). What
 * is read of them afterwards, in a statement of its own, is what the last transaction that held the lock left.
 */
export async function lockArtists(client: pg.PoolClient, artistIds: readonly ArtistId[]): Promise<void> {
  await client.query('SELECT 1 FROM artists WHERE id = ANY($1) ORDER BY platform_id COLLATE "C" FOR NO KEY UPDATE', [
    artistIds,
  ]);
}

export async function readPollStates(client: pg.PoolClient, artistIds: readonly ArtistId[]): Promise<PollState[]> {
  const { rows } = await client.query<PollState>(
    `SELECT a.id, a.platform_id AS "platformId", a.name, a.followers, a.monthly_listeners AS "monthlyListeners",
            a.metrics_observed_at AS "metricsObservedAt", a.next_poll_at AS "nextPollAt",
            a.last_polled_at AS "lastPolledAt", a.last_complete_at AS "lastCompleteAt",
            a.incomplete_polls AS "incompletePolls", a.not_found_since AS "notFoundSince",
            a.learning, b.digest,
            watchers."planIntervalMs", watchers."watchedSince",
            EXISTS (SELECT 1 FROM changes WHERE artist_id = a.id AND state IN ('suspected', 'held')) AS "hasSuspicions"
       FROM artists a
       LEFT JOIN baselines b ON b.artist_id = a.id
      CROSS JOIN LATERAL (
              SELECT min(p.interval_ms) AS "planIntervalMs", min(w.created_at) AS "watchedSince"
                FROM watches w
                JOIN accounts c ON c.id = w.account_id
                JOIN unnest($2::plan_name[], $3::float8[]) AS p (plan, interval_ms) ON p.plan = c.plan
               WHERE w.artist_id = a.id) AS watchers
      WHERE a.id = ANY($1)`,
    [artistIds, PLAN_NAMES, PLAN_NAMES.map((plan) => PLANS[plan].pollIntervalMs)],
  );
  return rows;
}

/** @param since the first day of the history of followers. */
export async function readDetectionRows(
  client: pg.Pool | pg.PoolClient,
  artistIds: readonly ArtistId[],
  since: Date,
): Promise<DetectionRow[]> {
  type Row = Omit<DetectionRow, 'followersHistory'> & { followersHistory: { day: string; followers: number }[] };
  const { rows } = await client.query<Row>(
    `SELECT a.id AS "artistId", b.state AS baseline,
            (SELECT coalesce(json_agg(json_build_object('id', c.id, 'differenceKey', c.difference_key,
                                                        'held', c.state = 'held', 'difference', c.difference,
                                                        'observations', c.observations, 'notes', c.notes) ORDER BY c.id),
                             '[]')
               FROM changes c WHERE c.artist_id = a.id AND c.state IN ('suspected', 'held')) AS "openChanges",
            (SELECT coalesce(json_agg(json_build_object('id', c.id, 'difference', c.difference) ORDER BY c.id), '[]')
               FROM changes c WHERE c.artist_id = a.id AND c.ignored) AS "ignoredChanges",
            (SELECT coalesce(json_agg(json_build_object('day', m.day, 'followers', m.followers)), '[]')
               FROM artist_metrics m WHERE m.artist_id = a.id AND m.day >= $2::date) AS "followersHistory"
       FROM artists a LEFT JOIN baselines b ON b.artist_id = a.id
      WHERE a.id = ANY($1)`,
    [artistIds, since.toISOString()],
  );
  return rows.map(({ followersHistory, ...row }) => ({
    ...row,
    followersHistory: followersHistory.map(({ day, followers }) => ({ day: new Date(day), followers })),
  }));
}

import { PLAN_NAMES, PLANS } from '@artist-watch/domain/account/plans';
import type { IncompleteCause } from '@artist-watch/domain/catalogue';
import type { Difference } from '@artist-watch/domain/change/difference';
import { type BaselineState, parseBaseline } from '@artist-watch/domain/detection/baseline';
import { type FollowersOfDay, TREND_WINDOW_DAYS } from '@artist-watch/domain/detection/followers-trend';
import { parseDifference, parseSuspicion, type Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';

/** Contains everything needed to process an artist that has not changed. */
export interface PollState {
  readonly id: ArtistId;
  readonly platformId: string;
  readonly name: string;
  readonly followers: number;
  readonly monthlyListeners: number;
  readonly metricsObservedAt: Date | null;
  /** Null if the artist has no watchers. */
  readonly nextPollAt: Date | null;
  readonly lastPolledAt: Date | null;
  readonly lastCompleteAt: Date | null;
  /** Consecutive incomplete polls. */
  readonly incompletePolls: number;
  /** Null if the last observation was complete. */
  readonly incompleteCause: IncompleteCause | null;
  /** Null if the last observation found the artist. */
  readonly notFoundSince: Date | null;
  /** The target artist's platform id. */
  readonly mergedInto: string | null;
  /** True if the next poll still has to read the tracks of all releases. */
  readonly learning: boolean;
  /** The shortest polling interval among the watchers' plans. */
  readonly planIntervalMs: number | null;
  readonly watchedSince: Date | null;
  readonly digest: Buffer | null;
  readonly hasSuspicions: boolean;
}

export interface IgnoredChange {
  readonly id: ChangeId;
  readonly difference: Difference;
}

export interface ArtistDetection {
  readonly baseline: BaselineState | null;
  readonly suspicions: readonly Suspicion[];
  readonly suspicionIds: ReadonlyMap<string, ChangeId>;
  readonly ignored: readonly IgnoredChange[];
  readonly followersHistory: readonly FollowersOfDay[];
}

/** Locks artists in the same order as known-artists.ts does, to avoid deadlocks. */
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
            a.incomplete_polls AS "incompletePolls",
            a.incomplete_cause AS "incompleteCause", a.not_found_since AS "notFoundSince",
            a.merged_into AS "mergedInto", a.learning, b.digest,
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

interface DetectionRow {
  readonly artistId: ArtistId;
  readonly baseline: unknown;
  readonly openChanges: readonly {
    readonly id: ChangeId;
    readonly differenceKey: string;
    readonly held: boolean;
    readonly difference: unknown;
    readonly observations: unknown;
    readonly notes: unknown;
  }[];
  readonly ignoredChanges: readonly { readonly id: ChangeId; readonly difference: unknown }[];
  readonly followersHistory: readonly { readonly day: string; readonly followers: number }[];
}

const DAY_MS = 86_400_000;

/**
 * Reads the state that the next observations will be compared with.
 * @param onUnreadable called for each artist whose state cannot be parsed. The result omits these artists.
 */
export async function readDetections(
  client: pg.Pool | pg.PoolClient,
  artistIds: readonly ArtistId[],
  now: Date,
  onUnreadable: (artistId: ArtistId, error: unknown) => void,
): Promise<ReadonlyMap<ArtistId, ArtistDetection>> {
  const detections = new Map<ArtistId, ArtistDetection>();
  if (artistIds.length === 0) return detections;
  const { rows } = await client.query<DetectionRow>(
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
    [artistIds, new Date(now.getTime() - TREND_WINDOW_DAYS * DAY_MS).toISOString()],
  );
  for (const row of rows) {
    try {
      detections.set(row.artistId, parseDetection(row));
    } catch (error) {
      onUnreadable(row.artistId, error);
    }
  }
  return detections;
}

/** @throws {UnreadableRecordError} */
function parseDetection(row: DetectionRow): ArtistDetection {
  return {
    baseline: row.baseline === null ? null : parseBaseline(row.baseline),
    suspicions: row.openChanges.map(parseSuspicion),
    suspicionIds: new Map(row.openChanges.map(({ id, differenceKey }) => [differenceKey, id])),
    ignored: row.ignoredChanges.map(({ id, difference }) => ({ id, difference: parseDifference(difference) })),
    followersHistory: row.followersHistory.map(({ day, followers }) => ({ day: new Date(day), followers })),
  };
}

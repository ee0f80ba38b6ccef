import { type DigestPeriod, digestPeriodAt } from '@artist-watch/domain/account/mail-preferences';
import { wallTime } from '@artist-watch/domain/zoned-time';
import type pg from 'pg';
import { allowsArtist } from '../account/groups.js';
import { joinHandling } from '../change/confirmed-changes.js';
import { columnsOf, firstIdAt } from '../database/sql-text.js';

/**
 * At 15 ms per digest for a member with 500 artists (docs/benchmarks/mails.md), a batch takes far less than the 3 s
 * statement timeout.
 */
const BATCH_MEMBERS = 20;
const CHANGES_SHOWN = 100;
const ARTISTS_SHOWN = 20;
/** This long after a period ends, its last transactions will have committed. */
const COMMITTED_AFTER_MS = 60_000;
/** Changes that are reported later than this don't appear in any digest. */
const REPORTED_WITHIN = "interval '7 days'";

/** Longer than a week, because a new time zone can shift a member's period by up to 26 hours. */
const LONGEST_PERIOD_MS = 9 * 86_400_000;

/**
 * Queues each due digest exactly once, because the statement that queues it also stores the end of its period in the
 * member's row.
 * @returns the number of queued digests; 0 if none are left.
 */
export async function queueDigests(pool: pg.Pool, now: Date): Promise<number> {
  const { rows } = await pool.query<{ zone: string; cadence: 'daily' | 'weekly'; lastUntil: Date | null }>(
    `SELECT DISTINCT zone, digest AS cadence, digest_until AS "lastUntil"
       FROM members WHERE digest <> 'never' AND joined_at IS NOT NULL`,
  );
  const periods = rows.flatMap(({ zone, cadence, lastUntil }) => {
    const period = periodIn(now, zone, cadence);
    if (!period) return [];
    const { day, until } = period;
    // `since` only differs from period.since after an outage, or after the member has changed the time zone or cadence.
    const since = lastUntil
      ? new Date(Math.max(lastUntil.getTime(), until.getTime() - LONGEST_PERIOD_MS))
      : period.since;
    if (since >= until) return [];
    const ids = { firstId: firstIdAt('chg', since), endId: firstIdAt('chg', until) };
    const firstDay = wallTime(since, zone).toISOString().slice(0, 10);
    return [{ zone, cadence, lastUntil, day, firstDay, since, until, ...ids }];
  });
  if (periods.length === 0) return 0;
  const { rowCount } = await pool.query({
    name: 'make-digests',
    text: QUEUE_DIGESTS,
    values: [
      now,
      ...columnsOf(periods, 'zone', 'cadence', 'day', 'since', 'until', 'firstId', 'endId', 'lastUntil', 'firstDay'),
    ],
  });
  return rowCount ?? 0;
}

/** Returns undefined for a time zone that this runtime does not support. */
function periodIn(now: Date, zone: string, cadence: 'daily' | 'weekly'): DigestPeriod | undefined {
  try {
    return digestPeriodAt(new Date(now.getTime() - COMMITTED_AFTER_MS), zone, cadence);
  } catch {
    return undefined;
  }
}

/** Changes that were confirmed or reported in the period. Change ids contain the time of the report. */
const IN_PERIOD = `f.account_id = s.account_id AND f.confirmed_at >= s.since - ${REPORTED_WITHIN} AND f.confirmed_at < s.until
            AND (f.confirmed_at >= s.since OR f.change_id >= s.first_id) AND f.change_id < s.end_id
            AND (s.digest_min_severity IS NULL OR f.severity <= s.digest_min_severity)
            AND (cardinality(s.digest_change_types || s.digest_artist_ids || s.digest_group_ids) = 0 OR EXISTS (
                  SELECT FROM changes c WHERE c.id = f.change_id
                     AND (s.digest_change_types = '{}' OR c.type = ANY(s.digest_change_types))
                     AND ${allowsArtist('c.artist_id', 's.account_id', 's.digest_artist_ids', 's.digest_group_ids')}))`;

const IS_OPEN = "coalesce(h.status, 'open') = 'open'";
const OF_TRACK = "CASE c.entity_type WHEN 'track' THEN c.difference END";

/** Observations are counted per UTC day, so the digest for 3 May counts the observations from 2 May. */
const QUEUE_DIGESTS = `
WITH due AS (
  SELECT m.id, m.account_id, m.email, m.digest_min_severity, m.digest_change_types, m.digest_artist_ids, m.digest_group_ids, p.cadence, p.day, p.since, p.until, p.first_id, p.end_id,
         least(p.first_day, p.day - 1) AS first_day, p.day AS end_day, (p.since AT TIME ZONE 'UTC')::date AS since_day
    FROM members m
    JOIN unnest($2::text[], $3::text[], $4::date[], $5::timestamptz[], $6::timestamptz[], $7::text[],
                $8::text[], $9::timestamptz[], $10::date[])
         AS p (zone, cadence, day, since, until, first_id, end_id, last_until, first_day)
      ON p.zone = m.zone AND p.cadence = m.digest::text AND p.last_until IS NOT DISTINCT FROM m.digest_until
   WHERE m.joined_at < p.until AND (m.digest_day IS NULL OR m.digest_day < p.day)
   ORDER BY m.id LIMIT ${BATCH_MEMBERS}
     FOR NO KEY UPDATE OF m SKIP LOCKED
), marked AS (
  UPDATE members m SET digest_day = due.day, digest_until = due.until FROM due WHERE m.id = due.id RETURNING m.id
), subjects AS (
  SELECT row_number() OVER () AS subject, array_agg(id) AS member_ids, account_id, since, until, first_id, end_id, first_day,
         end_day, since_day, digest_min_severity, digest_change_types, digest_artist_ids, digest_group_ids
    FROM due
   GROUP BY account_id, since, until, first_id, end_id, first_day, end_day, since_day, digest_min_severity,
            digest_change_types, digest_artist_ids, digest_group_ids
), readings AS (
  SELECT s.subject, count(*)::int AS artists, coalesce(sum(d.readings), 0)::int AS readings,
         coalesce(sum(d.complete), 0)::int AS complete,
         count(*) FILTER (WHERE d.is_missing)::int AS missing_count,
         (array_agg(a.name ORDER BY a.name) FILTER (WHERE d.is_missing))[1:${ARTISTS_SHOWN}] AS missing
    FROM subjects s
    JOIN watches w ON w.account_id = s.account_id AND w.created_at < least(s.until, s.end_day::timestamp AT TIME ZONE 'UTC')
    JOIN artists a ON a.id = w.artist_id
   CROSS JOIN LATERAL (SELECT sum(readings) FILTER (WHERE day >= s.first_day) AS readings,
                              sum(complete_readings) FILTER (WHERE day >= s.first_day) AS complete,
                              coalesce(sum(complete_readings), 0) = 0 AS is_missing
                         FROM artist_days
                        WHERE artist_id = w.artist_id AND day >= least(s.first_day, s.since_day) AND day < s.end_day) d
   GROUP BY s.subject
), changes_of AS (
  SELECT s.subject, s.member_ids, counted.*, shown.*
    FROM subjects s
   CROSS JOIN LATERAL (
         SELECT count(*)::int AS change_count, count(*) FILTER (WHERE f.severity = 'critical')::int AS critical_count,
                count(*) FILTER (WHERE ${IS_OPEN})::int AS open_count,
                count(*) FILTER (WHERE f.severity = 'critical' AND ${IS_OPEN})::int AS open_critical_count
           FROM feed_items f LEFT JOIN change_handling h USING (account_id, confirmed_at, change_id)
          WHERE ${IN_PERIOD}) counted
   CROSS JOIN LATERAL (
         SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'severity', c.severity, 'summary', c.summary,
                                                      'type', c.type, 'artist', coalesce(c.artist_name, a.name), 'artistId', c.artist_id,
                                                      'entityType', c.entity_type, 'entityId', c.entity_id,
                                                      'entityName', c.entity_name, 'confirmedAt', c.confirmed_at,
                                                      'releaseId', ${OF_TRACK} ->> 'releaseId',
                                                      'releaseName', ${OF_TRACK} ->> 'releaseName',
                                                      'status', coalesce(h.status, 'open'), 'assignee', assignee.email)
                                   ORDER BY c.severity, c.confirmed_at DESC, c.id), '[]') AS changes
           FROM (SELECT f.change_id, f.severity, f.confirmed_at
                   FROM feed_items f
                  WHERE ${IN_PERIOD}
                  ORDER BY f.severity, f.confirmed_at DESC, f.change_id
                  LIMIT ${CHANGES_SHOWN}) f
           JOIN changes c ON c.id = f.change_id JOIN artists a ON a.id = c.artist_id
           ${joinHandling('s.account_id')}) shown
)
INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, created_at)
SELECT new_id('mai', $1), due.account_id, due.id, due.email, 'digest',
       jsonb_build_object('account', due.account_id, 'member', due.id, 'cadence', due.cadence,
                          'since', due.since, 'until', due.until, 'firstDay', due.first_day, 'lastDay', due.end_day - 1,
                          'artists', coalesce(r.artists, 0), 'readings', coalesce(r.readings, 0),
                          'complete', coalesce(r.complete, 0), 'missingCount', coalesce(r.missing_count, 0),
                          'missing', coalesce(to_jsonb(r.missing), '[]'),
                          'changeCount', c.change_count, 'criticalCount', c.critical_count,
                          'openCount', c.open_count, 'openCriticalCount', c.open_critical_count, 'changes', c.changes),
       'digest ' || due.id || ' ' || due.day, least($1, now()), $1
  FROM due JOIN marked ON marked.id = due.id
  JOIN changes_of c ON due.id = ANY(c.member_ids)
  LEFT JOIN readings r ON r.subject = c.subject
ON CONFLICT (unique_key) DO NOTHING`;

import { type DigestPeriod, digestPeriodAt } from '@artist-watch/domain/account/mail-preferences';
import type pg from 'pg';
import { columnsOf, firstIdAt } from '../database/sql-text.js';

/** Of accounts with 500 artists a digest takes PostgreSQL 15 ms (docs/benchmarks/mails.md), and a statement has three seconds. */
const MEMBERS_AT_ONCE = 20;
const CHANGES_SHOWN = 50;
const ARTISTS_SHOWN = 20;
/** By then what was being written as the morning came is committed, or will never be. */
const COMMITTED_AFTER_MS = 60_000;
/** How late another detector may report a change that a digest is to have. */
const REPORTED_WITHIN = "interval '7 days'";

/**
 * Makes the digests whose morning has come, each once: the member's row says for which day the last one was made, and is
 * written by the statement that makes it. Two statements for a page of members, however many artists they have.
 *
 * @returns how many were made; 0 when no more are due.
 */
export async function makeDigests(pool: pg.Pool, now: Date): Promise<number> {
  const { rows } = await pool.query<{ zone: string; cadence: 'daily' | 'weekly' }>(
    "SELECT DISTINCT zone, digest AS cadence FROM members WHERE digest <> 'never' AND joined_at IS NOT NULL",
  );
  const periods = rows.flatMap(({ zone, cadence }) => {
    const period = periodIn(now, zone, cadence);
    if (!period) return [];
    return [
      { zone, cadence, ...period, firstId: firstIdAt('chg', period.since), endId: firstIdAt('chg', period.until) },
    ];
  });
  if (periods.length === 0) return 0;
  const { rowCount } = await pool.query({
    name: 'make-digests',
    text: MAKE_DIGESTS,
    values: [now, ...columnsOf(periods, 'zone', 'cadence', 'day', 'since', 'until', 'firstId', 'endId')],
  });
  return rowCount ?? 0;
}

/** Undefined for a zone that this version of the zones does not know. */
function periodIn(now: Date, zone: string, cadence: 'daily' | 'weekly'): DigestPeriod | undefined {
  try {
    return digestPeriodAt(new Date(now.getTime() - COMMITTED_AFTER_MS), zone, cadence);
  } catch {
    return undefined;
  }
}

/**
 * The changes of a period: confirmed in it, or confirmed before it and reported in it, as the time in their ids says. So each
 * is in one digest.
 */
const OF_PERIOD = `account_id = s.account_id AND confirmed_at >= s.since - ${REPORTED_WITHIN} AND confirmed_at < s.until
            AND (confirmed_at >= s.since OR change_id >= s.first_id) AND change_id < s.end_id`;

/**
 * Readings are counted by UTC days, so those that a period touches most are shown, and named. An artist that was watched
 * when they ended and had no complete reading is missing.
 */
const MAKE_DIGESTS = `
WITH due AS (
  SELECT m.id, m.account_id, m.email, p.cadence, p.day, p.since, p.until, p.first_id, p.end_id,
         (p.since AT TIME ZONE 'UTC')::date AS first_day, (p.until AT TIME ZONE 'UTC')::date AS end_day
    FROM members m
    JOIN unnest($2::text[], $3::text[], $4::date[], $5::timestamptz[], $6::timestamptz[], $7::text[],
                $8::text[]) AS p (zone, cadence, day, since, until, first_id, end_id)
      ON p.zone = m.zone AND p.cadence = m.digest::text
   WHERE m.joined_at < p.until AND (m.digest_day IS NULL OR m.digest_day < p.day)
   ORDER BY m.id LIMIT ${MEMBERS_AT_ONCE}
     FOR NO KEY UPDATE OF m SKIP LOCKED
), marked AS (
  UPDATE members m SET digest_day = due.day FROM due WHERE m.id = due.id RETURNING m.id
), subjects AS (
  SELECT DISTINCT account_id, since, until, first_id, end_id, first_day, end_day FROM due
), readings AS (
  SELECT s.account_id, s.since, s.until, count(*)::int AS artists, coalesce(sum(d.readings), 0)::int AS readings,
         coalesce(sum(d.complete), 0)::int AS complete,
         count(*) FILTER (WHERE coalesce(d.complete, 0) = 0)::int AS missing_count,
         (array_agg(a.name ORDER BY a.name) FILTER (WHERE coalesce(d.complete, 0) = 0))[1:${ARTISTS_SHOWN}] AS missing
    FROM subjects s
    JOIN watches w ON w.account_id = s.account_id AND w.created_at < s.end_day::timestamp AT TIME ZONE 'UTC'
    JOIN artists a ON a.id = w.artist_id
    LEFT JOIN LATERAL (SELECT sum(readings) AS readings, sum(complete_readings) AS complete FROM artist_days
                        WHERE artist_id = w.artist_id AND day >= s.first_day AND day < s.end_day) d ON true
   GROUP BY s.account_id, s.since, s.until
), changes_of AS (
  SELECT s.account_id, s.since, s.until, counted.*, shown.*
    FROM subjects s
   CROSS JOIN LATERAL (
         SELECT count(*)::int AS change_count, count(*) FILTER (WHERE severity = 'critical')::int AS critical_count
           FROM feed_items
          WHERE ${OF_PERIOD}) counted
   CROSS JOIN LATERAL (
         SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'severity', c.severity, 'summary', c.summary)
                                   ORDER BY c.severity, c.confirmed_at DESC, c.id), '[]') AS changes
           FROM (SELECT change_id, severity, confirmed_at
                   FROM feed_items
                  WHERE ${OF_PERIOD}
                  ORDER BY severity, confirmed_at DESC, change_id
                  LIMIT ${CHANGES_SHOWN}) f
           JOIN changes c ON c.id = f.change_id) shown
)
INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, created_at)
SELECT new_id('mai', $1), due.account_id, due.id, due.email, 'digest',
       jsonb_build_object('account', due.account_id, 'member', due.id, 'cadence', due.cadence,
                          'since', due.since, 'until', due.until, 'firstDay', due.first_day, 'lastDay', due.end_day - 1,
                          'artists', coalesce(r.artists, 0), 'readings', coalesce(r.readings, 0),
                          'complete', coalesce(r.complete, 0), 'missingCount', coalesce(r.missing_count, 0),
                          'missing', coalesce(to_jsonb(r.missing), '[]'),
                          'changeCount', c.change_count, 'criticalCount', c.critical_count, 'changes', c.changes),
       'digest ' || due.id || ' ' || due.day, least($1, now()), $1
  FROM due JOIN marked ON marked.id = due.id
  JOIN changes_of c ON c.account_id = due.account_id AND c.since = due.since AND c.until = due.until
  LEFT JOIN readings r ON r.account_id = due.account_id AND r.since = due.since AND r.until = due.until
ON CONFLICT (unique_key) DO NOTHING`;

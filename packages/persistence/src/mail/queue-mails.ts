import type { ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { matchesRules } from '../change/change-fan-out.js';
import { CONFIRMED_COLUMNS } from '../change/confirmed-changes.js';
import { inTransaction } from '../database/database.js';
import { firstIdAt } from '../database/sql-text.js';

export interface QueueOptions {
  readonly now: Date;
  /** All of an artist's changes within this time are reported in one email. */
  readonly groupWaitMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Changes and notifications older than this don't get their own email. */
const WINDOW_MS = HOUR_MS;
/** Emails about keys are queued for a longer time, because no digest would make up for a missed one. */
const KEY_WINDOW_MS = 24 * HOUR_MS;
/** A key's id contains the time when its form was opened, up to a week before the key was created. */
const KEY_IDS_MS = KEY_WINDOW_MS + 7 * 24 * HOUR_MS;
/** Limit per member. Emails about critical changes are counted separately from all other emails (docs/api/mails.md). */
const MAILS_PER_HOUR = 6;
/** A summary is sent once its hour is over. The extra minute allows for replicas with slow clocks. */
const SUMMARY_AFTER = "interval '1 hour 1 minute'";
/** How long the email waits, so that all skipped deliveries can be counted. */
const NOTICE_WAIT_MS = 10_000;
/** How long a series of failures is reported in the same email thread before a new thread is started. */
const LONGEST_RUN = "interval '30 days'";
/** Marking this many changes takes much less time than the statement timeout allows. */
const BATCH_CHANGES = 5_000;
const BATCH_ACCOUNTS = 2_000;
/** An email contains at most this many of an artist's changes. packages/mail shows the same number. */
const CHANGES_KEPT = 100;
const QUEUE_LOCK = 4_022_001;

/**
 * Queues emails about committed changes, notifications and API keys. If one kind fails, the others are still queued.
 * @returns the number of queued emails.
 * @throws the first error, after all kinds have run.
 */
export async function queueMails(pool: pg.Pool, { now, groupWaitMs }: QueueOptions): Promise<number> {
  const since = new Date(now.getTime() - WINDOW_MS);
  const insert = (name: string, text: string, values: readonly unknown[]) => async (client: pg.PoolClient) =>
    (await client.query({ name, text, values: [now, ...values] })).rowCount ?? 0;
  const kinds = [
    (client: pg.PoolClient) => queueChangeMails(client, now, since, groupWaitMs),
    insert('make-notice-mails', QUEUE_NOTICE_MAILS, [
      firstIdAt('ntc', since),
      new Date(now.getTime() - NOTICE_WAIT_MS),
    ]),
    insert('make-key-mails', QUEUE_KEY_MAILS, [
      firstIdAt('key', new Date(now.getTime() - KEY_IDS_MS)),
      new Date(now.getTime() - KEY_WINDOW_MS),
    ]),
    insert('make-key-expiry-mails', QUEUE_KEY_EXPIRY_MAILS, []),
  ];
  let queued = 0;
  const failures: unknown[] = [];
  for (const queue of kinds) {
    try {
      queued += await inTransaction(pool, async (client) => ((await tryLock(client)) ? queue(client) : 0));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return queued;
}

/** Only one replica queues emails at a time. The lock ends with the transaction. */
async function tryLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>({
    name: 'lock-mail-making',
    text: 'SELECT pg_try_advisory_xact_lock($1) AS locked',
    values: [QUEUE_LOCK],
  });
  return rows[0]?.locked === true;
}

/** Processes one page of accounts at a time, so that no statement runs for long when an artist has many watchers. */
async function queueChangeMails(client: pg.PoolClient, now: Date, since: Date, groupWaitMs: number): Promise<number> {
  const ready = await client.query<{ change_id: ChangeId }>({
    name: 'mark-mailed-changes',
    text: MARK_MAILED_CHANGES,
    values: [now, since, new Date(now.getTime() - groupWaitMs)],
  });
  const changeIds = ready.rows.map((row) => row.change_id);
  if (changeIds.length === 0) return 0;
  let queued = 0;
  for (let afterAccount: string | null = ''; afterAccount !== null; ) {
    const { rows }: pg.QueryResult<{ made: number; last_account: string | null }> = await client.query({
      name: 'make-change-mails',
      text: QUEUE_CHANGE_MAILS,
      values: [now, changeIds, firstIdAt('mai', since), afterAccount],
    });
    queued += rows[0]?.made ?? 0;
    afterAccount = rows[0]?.last_account ?? null;
  }
  return queued;
}

export async function forgetMailedChanges(pool: pg.Pool, now: Date): Promise<void> {
  await pool.query('DELETE FROM mailed_changes WHERE at < $1', [new Date(now.getTime() - 2 * WINDOW_MS)]);
}

/** Severities sort from critical to info. */
const WANTS_SEVERITY = `(m.critical_mails AND m.joined_at IS NOT NULL AND c.severity <= coalesce(m.mail_min_severity, 'info'))`;

/**
 * Marks an artist's new changes as mailed once the oldest of them has waited long enough. Artists with critical changes
 * come first.
 */
const MARK_MAILED_CHANGES = `
WITH fresh AS (
  SELECT c.id, c.artist_id, c.confirmed_at, min(c.severity) OVER (PARTITION BY c.artist_id) AS severity,
         min(c.confirmed_at) OVER (PARTITION BY c.artist_id) AS waits_since
    FROM changes c
   WHERE c.confirmed_at > $2 AND c.confirmed_at <= $1 AND c.state = 'confirmed' AND NOT c.is_test
     AND (c.severity = 'critical'
          OR EXISTS (SELECT FROM members m JOIN feed_items f ON f.account_id = m.account_id AND f.confirmed_at = c.confirmed_at
                                                            AND f.change_id = c.id
                      WHERE m.mail_min_severity IS DISTINCT FROM 'critical'::severity AND ${WANTS_SEVERITY}))
     AND NOT EXISTS (SELECT FROM mailed_changes m WHERE m.change_id = c.id)
)
INSERT INTO mailed_changes (change_id, at)
SELECT id, $1 FROM fresh WHERE waits_since <= $3
 ORDER BY severity, waits_since, artist_id, confirmed_at, id LIMIT ${BATCH_CHANGES}
RETURNING change_id`;

const MAX_DIFFERENCE_BYTES = 8_192;
/** Maximum number of changes in the text for the distributor. */
const LETTER_CHANGES = 20;
/** Summaries can cover thousands of artists, so they have no text for the distributor. */
const WITHOUT_DIFFERENCES = `
                (SELECT jsonb_agg(change - 'difference' ORDER BY place)
                   FROM jsonb_array_elements(changes) WITH ORDINALITY listed (change, place))`;

const FULL_CHANGE = `(
           SELECT CASE WHEN octet_length(concat(difference, "reportedValues")) > ${MAX_DIFFERENCE_BYTES}
                       THEN to_jsonb(c) - '{difference,reportedValues}'::text[] ELSE to_jsonb(c) END
             FROM (SELECT ${CONFIRMED_COLUMNS}, jsonb_array_length(c.observations) AS checks
                     FROM changes c JOIN artists a ON a.id = c.artist_id WHERE c.id = shown_id) c)`;

/**
 * Queues one email per artist for each member. Once a member has received MAILS_PER_HOUR, adds to the hour's summary
 * instead. Other changes never delay critical ones.
 */
const QUEUE_CHANGE_MAILS = `
WITH page AS MATERIALIZED (
  SELECT f.account_id FROM feed_items f JOIN changes c ON c.id = f.change_id
   WHERE f.change_id = ANY($2) AND f.account_id > $4
     AND EXISTS (SELECT FROM members m WHERE m.account_id = f.account_id AND ${WANTS_SEVERITY})
   GROUP BY f.account_id ORDER BY f.account_id LIMIT ${BATCH_ACCOUNTS}
), rules AS (
  SELECT row_number() OVER () AS rules_id, account_id, mail_min_severity, mail_change_types, mail_artist_ids, mail_group_ids,
         array_agg(id) AS member_ids
    FROM members
   WHERE account_id IN (SELECT account_id FROM page) AND joined_at IS NOT NULL AND critical_mails
   GROUP BY account_id, mail_min_severity, mail_change_types, mail_artist_ids, mail_group_ids
), listed AS (
  SELECT f.account_id, r.rules_id, c.id, c.artist_id, c.artist_name, c.summary, c.type, c.severity, c.confirmed_at,
         c.entity_type, c.entity_id, c.entity_name, CASE c.entity_type WHEN 'track' THEN c.difference END AS of_track,
         c.detected_at, jsonb_array_length(c.observations) AS checks, CASE c.severity WHEN 'critical' THEN c.difference END AS difference,
         row_number() OVER (PARTITION BY r.rules_id, c.artist_id ORDER BY c.severity, c.confirmed_at, c.id) AS place
    FROM changes c JOIN feed_items f ON f.change_id = c.id JOIN rules r ON r.account_id = f.account_id
   WHERE c.id = ANY($2) AND ${matchesRules('r', 'mail_')}
), feeds AS (
  SELECT l.account_id, l.rules_id, l.artist_id, min(l.id) AS first_id, coalesce(max(l.artist_name), max(a.name)) AS artist,
         count(*) AS change_count, min(l.severity) = 'critical' AS is_critical, (array_agg(l.id) FILTER (WHERE l.place = 1))[1] AS shown_id,
         jsonb_agg(jsonb_build_object('id', l.id, 'type', l.type, 'summary', l.summary, 'severity', l.severity,
                                      'artist', coalesce(l.artist_name, a.name), 'artistId', l.artist_id,
                                      'entityType', l.entity_type, 'entityId', l.entity_id, 'entityName', l.entity_name,
                                      'confirmedAt', l.confirmed_at, 'releaseId', l.of_track ->> 'releaseId',
                                      'releaseName', l.of_track ->> 'releaseName', 'detectedAt', l.detected_at, 'checks', l.checks)
                   || CASE WHEN l.place <= ${LETTER_CHANGES} AND octet_length(l.difference::text) <= ${MAX_DIFFERENCE_BYTES}
                           THEN jsonb_build_object('difference', l.difference) ELSE '{}' END ORDER BY l.place)
           FILTER (WHERE l.place <= ${CHANGES_KEPT}) AS changes
    FROM listed l JOIN artists a ON a.id = l.artist_id
   GROUP BY l.account_id, l.rules_id, l.artist_id
), addressed AS (
  SELECT feeds.account_id, first_id, artist, change_count, shown_id, changes, m.id AS member_id, m.email,
         row_number() OVER (PARTITION BY m.id, is_critical ORDER BY feeds.first_id)
           + (SELECT count(*) FROM mails
               WHERE member_id = m.id AND id >= $3 AND kind = 'critical_changes'
                 AND (coalesce(data #>> '{first,severity}', 'critical') = 'critical') = is_critical) AS nth
    FROM feeds JOIN rules r USING (rules_id) JOIN members m ON m.id = ANY(r.member_ids)
), made AS (
  SELECT account_id, member_id, email, 'critical_changes' AS kind, 'changes ' || member_id || ' ' || first_id AS unique_key,
         jsonb_build_object('account', account_id, 'member', member_id, 'artist', artist, 'count', change_count,
                            'changes', changes, 'first', ${FULL_CHANGE}) AS data,
         least($1, now()) AS due
    FROM addressed WHERE nth <= ${MAILS_PER_HOUR}
  UNION ALL
  SELECT account_id, member_id, email, 'critical_summary',
         'summary ' || member_id || ' ' || extract(epoch FROM date_trunc('hour', $1::timestamptz)),
         jsonb_build_object('account', account_id, 'member', member_id,
                            'artists', jsonb_agg(jsonb_build_object('artist', artist, 'count', change_count, 'changes', ${WITHOUT_DIFFERENCES})
                                                 ORDER BY first_id)),
         date_trunc('hour', $1::timestamptz) + ${SUMMARY_AFTER}
    FROM addressed WHERE nth > ${MAILS_PER_HOUR}
   GROUP BY account_id, member_id, email
), inserted AS (
  INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, created_at)
  SELECT new_id('mai', $1), account_id, member_id, email, kind, data, unique_key, due, $1 FROM made
  ON CONFLICT (unique_key) DO UPDATE
     SET data = jsonb_set(mails.data, '{artists}', (mails.data -> 'artists') || (excluded.data -> 'artists'))
   WHERE mails.kind = 'critical_summary' AND mails.state = 'pending' AND mails.tries = 0
  RETURNING 1
)
SELECT (SELECT count(*)::int FROM inserted) AS made, (SELECT max(account_id) FROM page) AS last_account`;

/** Puts all emails about the same series of failures into one thread. */
const QUEUE_NOTICE_MAILS = `
INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, created_at)
SELECT new_id('mai', $1), d.account_id, m.id, m.email, 'destination_failing',
       jsonb_build_object('account', d.account_id, 'member', m.id, 'destination', d.id, 'name', coalesce(d.name, d.url),
                          'isOff', n.kind = 'switched_off', 'failures', n.consecutive_failures, 'lastStatus', n.last_status,
                          'waiting', CASE WHEN n.kind = 'switched_off' THEN
                            (SELECT count(*) FROM deliveries
                              WHERE account_id = d.account_id AND state IN ('failed', 'skipped') AND destination_id = d.id
                                AND test_body IS NULL)
                            + (SELECT count(*) FROM deliveries WHERE destination_id = d.id AND state = 'pending') END,
                          'first', run.first, 'isFirst', run.first = n.id),
       'notice ' || m.id || ' ' || n.id, least($1, now()), $1
  FROM destination_notices n
  JOIN destinations d ON d.id = n.destination_id AND d.deleted_at IS NULL
  JOIN members m ON m.account_id = d.account_id AND m.role = 'owner' AND m.joined_at IS NOT NULL AND m.destination_mails
 CROSS JOIN LATERAL (
       SELECT id AS first
         FROM (SELECT id, at, consecutive_failures, lag(consecutive_failures) OVER (ORDER BY at, id) AS before
                 FROM destination_notices
                WHERE destination_id = d.id AND kind IN ('warning', 'switched_off') AND at <= n.at
                  AND at > n.at - ${LONGEST_RUN}) earlier
        WHERE before IS NULL OR before >= consecutive_failures
        ORDER BY at DESC, id DESC LIMIT 1) run
 WHERE n.id >= $2 AND n.at <= $3 AND n.kind IN ('warning', 'switched_off')
   AND NOT EXISTS (SELECT FROM mails WHERE unique_key = 'notice ' || m.id || ' ' || n.id)
ON CONFLICT (unique_key) DO NOTHING`;

/** Emails the members who were owners when the key was created. */
const QUEUE_KEY_MAILS = `
INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, created_at)
SELECT new_id('mai', $1), k.account_id, m.id, m.email, 'new_key',
       jsonb_build_object('account', k.account_id, 'hint', k.hint, 'at', k.created_at, 'by', k.created_by,
                          'name', k.name, 'scopes', k.scopes), 'key ' || m.id || ' ' || k.id,
       least($1, now()), $1
  FROM api_keys k
  JOIN members m ON m.account_id = k.account_id AND m.role = 'owner' AND m.joined_at < k.created_at
 WHERE k.id >= $2 AND k.created_at > $3
   AND NOT EXISTS (SELECT FROM mails WHERE unique_key = 'key ' || m.id || ' ' || k.id)
ON CONFLICT (unique_key) DO NOTHING`;

/** Emails owners a week before a key expires. Keys that are valid for a week or less don't get this email. */
const QUEUE_KEY_EXPIRY_MAILS = `
INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, expires_at, created_at)
SELECT new_id('mai', $1), k.account_id, m.id, m.email, 'key_expires',
       jsonb_build_object('account', k.account_id, 'hint', k.hint, 'name', k.name, 'at', k.expires_at),
       'key expiry ' || m.id || ' ' || k.id, least($1, now()), k.expires_at, $1
  FROM api_keys k
  JOIN members m ON m.account_id = k.account_id AND m.role = 'owner' AND m.joined_at IS NOT NULL
 WHERE k.revoked_at IS NULL AND k.expires_at > $1::timestamptz AND k.expires_at <= $1::timestamptz + interval '7 days'
   AND k.created_at < k.expires_at - interval '7 days'
   AND NOT EXISTS (SELECT FROM mails WHERE unique_key = 'key expiry ' || m.id || ' ' || k.id)
ON CONFLICT (unique_key) DO NOTHING`;

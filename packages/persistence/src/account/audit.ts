import { ApiError } from '@artist-watch/contracts/api/errors';
import { type Actor, effectOf, FreshCodeRequired } from '@artist-watch/domain/account/actor';
import type { AccountId, AuditEventId } from '@artist-watch/domain/ids';
import { type Database, queryRows, type Statements } from '../database/database.js';
import { firstIdAt, matches, searchPattern } from '../database/sql-text.js';

export interface AuditEvent {
  readonly accountId: AccountId;
  readonly actor: Actor;
  readonly action: string;
  readonly subject: { readonly id: string | null; readonly name: string };
  /** Never contains a secret. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  readonly now: Date;
}

/** SQL for an actor's name. API keys include their hint, because their names are not unique. */
export function actorName(kind: string, id: string, name: string): string {
  return `coalesce((SELECT coalesce(name || ' (' || hint || '…)', hint || '…') FROM api_keys WHERE id = ${id} AND ${kind} = 'api_key'), ${name})`;
}

const HOUR_MS = 3_600_000;

/** API keys and members have separate limits, so that a leaked key cannot block the members. */
const MAX_ACTIONS_PER_HOUR = 1_000;

/** These actions are never limited, because an account must always be able to withdraw access. */
const UNDOES = /(?:deleted|disabled|removed|revoked|unwatched)$/;

/** Does not count watches, because plans already limit them. If `$10` is null, there is no limit. */
const RECORD = `
  WITH full_since AS MATERIALIZED (
         SELECT at FROM audit_events
          WHERE account_id = $2 AND id >= $10 AND actor_kind = $3 AND NOT starts_with(action, 'artist.')
          ORDER BY id DESC OFFSET ${MAX_ACTIONS_PER_HOUR - 1} LIMIT 1),
       recorded AS (
         INSERT INTO audit_events (id, account_id, at, actor_kind, actor_id, actor_name, action, subject_id,
                                   subject_name, details)
         SELECT new_id('aud', $1::timestamptz), $2, $1::timestamptz, $3, $4, ${actorName('$3', '$4', '$5')},
                $6, $7, $8, $9::jsonb
          WHERE NOT EXISTS (SELECT FROM full_since))
  SELECT at FROM full_since`;

/** Without a limit, an API key that creates feeds in a loop could fill a mailbox. */
const MAX_EMAILS_PER_ACTION = 10;

/** mail/queue-mails.ts queues a separate email about each new API key. */
const EMAILED_LATER = 'api_key.created';

const EMAIL_OWNERS = `
  INSERT INTO mails (id, account_id, member_id, recipient, kind, data, next_try_at, created_at)
  SELECT new_id('mai', $1::timestamptz), $2, m.id, m.email, 'account_action',
         jsonb_build_object('account', $2::text, 'action', $6::text, 'subject', $7::text, 'at', $1::timestamptz,
                            'actorKind', $3::text, 'actor', ${actorName('$3', '$4', '$5')},
                            'changed', $9::jsonb ->> 'changed', 'isLast', sent.count = ${MAX_EMAILS_PER_ACTION - 1}),
         least($1::timestamptz, now()), $1::timestamptz
    FROM members m
   CROSS JOIN LATERAL (
         SELECT count(*) FROM mails
          WHERE member_id = m.id AND id >= $8 AND kind = 'account_action' AND data ->> 'action' = $6) sent
   WHERE m.account_id = $2 AND m.role = 'owner' AND m.joined_at IS NOT NULL AND sent.count < ${MAX_EMAILS_PER_ACTION}`;

/**
 * Records an action in the transaction that performs it. Emails the owners if the action has effects outside the
 * account.
 * @throws FreshCodeRequired, ApiError `rate_limited`
 */
export async function recordAudit(
  transaction: Statements,
  { accountId, actor, action, subject, details = {}, now }: AuditEvent,
): Promise<void> {
  const effect = effectOf(action, details);
  if (effect && actor.kind === 'member' && !actor.hasFreshCode) throw new FreshCodeRequired();
  const anHourAgo = new Date(now.getTime() - HOUR_MS);
  const isLimited = (actor.kind === 'api_key' || actor.kind === 'member') && !UNDOES.test(action);
  const who = [now.toISOString(), accountId, actor.kind, actor.id, actor.name];
  const what = [action, subject.id, subject.name, JSON.stringify(details)];
  const values = [...who, ...what, isLimited ? firstIdAt('aud', anHourAgo) : null];
  const [fullSince] = await queryRows<{ at: Date }>(transaction, { text: RECORD, values });
  if (fullSince) throw tooManyActions(actor, new Date(fullSince.at).getTime() - anHourAgo.getTime());
  if (!effect || action === EMAILED_LATER) return;
  const emails = [...who, action, subject.name, firstIdAt('mai', anHourAgo), JSON.stringify(details)];
  await queryRows(transaction, { text: EMAIL_OWNERS, values: emails });
}

function tooManyActions({ kind }: Actor, waitMs: number): ApiError {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)));
  const by = kind === 'member' ? 'members' : 'API keys';
  const message = `Limit reached: 1,000 actions an hour for all ${by} of the account together. Try again in ${seconds} s.`;
  return new ApiError('rate_limited', message, { headers: { 'Retry-After': seconds } });
}

export interface AuditRecord extends Pick<AuditEvent, 'actor' | 'action' | 'subject'> {
  readonly id: AuditEventId;
  readonly at: Date;
  readonly details: Readonly<Record<string, unknown>>;
}

interface AuditRequest {
  readonly accountId: AccountId;
  readonly before?: AuditEventId | undefined;
  readonly of?: string;
  readonly who?: string;
  readonly limit: number;
}

/** A filtered page scans at most this many events, because no index supports the filters. */
const MAX_COMPARED_EVENTS = 10_000;

const NEWEST = 'aud_g';

const EVENTS = 'SELECT * FROM audit_events WHERE account_id = $1 AND id < $2 ORDER BY id DESC';

/**
 * Shows artists' current names, because an artist has no name before its first check.
 *
 * Selects one more event than fits on the page, to find out whether there is a next page. `is_cut` marks where an
 * incomplete scan stopped.
 */
const PAGE = `
  WITH page AS MATERIALIZED (
         SELECT * FROM (${EVENTS} LIMIT ${MAX_COMPARED_EVENTS}) compared
          WHERE starts_with(action, $4) AND ${matches("concat_ws(' ', actor_name, subject_name, details ->> 'artists')", '$5')}
          ORDER BY id DESC LIMIT $3 + 1),
       cut AS (
         SELECT * FROM (${EVENTS} OFFSET ${MAX_COMPARED_EVENTS - 1} LIMIT 1) last WHERE (SELECT count(*) FROM page) <= $3)
  SELECT id, at, json_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name) AS actor, action,
         json_build_object('id', subject_id, 'name', coalesce((SELECT name FROM artists WHERE id = subject_id), subject_name)) AS subject,
         details - 'artist_ids' || coalesce((
           SELECT jsonb_build_object('artists', jsonb_agg(name ORDER BY name)) FROM artists
            WHERE id IN (SELECT jsonb_array_elements_text(details -> 'artist_ids')) HAVING count(*) > 0), '{}') AS details,
         is_cut AS "isCut"
    FROM (SELECT *, false AS is_cut FROM page UNION ALL SELECT *, true FROM cut) events
   ORDER BY id DESC`;

/**
 * Returns events, newest first. Runs one filtered query at a time for each account.
 * @param of an action prefix, such as `member`
 * @param who part of the actor's or the subject's name
 * @throws GateFull
 */
export async function listAudit(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  { accountId, before = NEWEST as AuditEventId, of = '', who = '', limit }: AuditRequest,
) {
  const statement = { name: 'list-audit', text: PAGE, values: [accountId, before, limit, of, searchPattern(who)] };
  const read = () => pool.query<AuditRecord & { readonly isCut: boolean }>(statement);
  const { rows } = await (of === '' && who === '' ? read() : perAccount.run(accountId, read));
  const events: AuditRecord[] = rows.filter(({ isCut }) => !isCut).slice(0, limit);
  const last = rows.find(({ isCut }) => isCut) ?? (rows.length > limit ? events.at(-1) : undefined);
  return { events, next: last?.id };
}

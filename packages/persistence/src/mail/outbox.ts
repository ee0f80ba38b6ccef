import type { MailList, MailPreferences } from '@artist-watch/domain/account/mail-preferences';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, MailId, MemberId } from '@artist-watch/domain/ids';
import { type Database, queryRows, type Statements } from '../database/database.js';
import { rulesJson } from '../destination/reads.js';

/** Emails are stored as data. Their text is rendered when they are sent. */
export interface NewMail {
  readonly accountId: AccountId | null;
  readonly memberId: MemberId | null;
  readonly recipient: string;
  /** packages/mail defines the kinds. `data` never contains secrets, because databases get copied. */
  readonly kind: string;
  readonly data: unknown;
  /** A second email with the same key is dropped, for example if two replicas queue a digest. */
  readonly uniqueKey?: string;
  readonly expiresAt?: Date;
}

export interface ClaimedMail {
  readonly id: MailId;
  readonly recipient: string;
  readonly kind: string;
  readonly data: unknown;
  /** Includes this try. */
  readonly tries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** True if the recipient is no longer a member of the account. */
  readonly hasLeft: boolean;
  /** True even if the member unsubscribed after the email was queued. */
  readonly hasUnsubscribed: boolean;
  readonly accountName: string;
  readonly zone: string;
}

export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The mail server rejected the email, the email expired, or the recipient left or unsubscribed. */
  | { readonly kind: 'refused' | 'discarded'; readonly error: string }
  | { readonly kind: 'retry'; readonly error: string; readonly afterMs: number };

/** Pass a transaction's client to commit the emails together with the action that causes them. */
export async function insertMails(client: Statements, mails: readonly NewMail[], now: Date): Promise<void> {
  if (mails.length === 0) return;
  const text = `
    INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, expires_at, created_at)
    SELECT new_id('mai', $2::timestamptz), m."accountId", m."memberId", m.recipient, m.kind, m.data, m."uniqueKey",
           least($2::timestamptz, now()), m."expiresAt", $2::timestamptz
      FROM jsonb_to_recordset($1::jsonb) AS m ("accountId" text, "memberId" text, recipient text, kind text, data jsonb,
           "uniqueKey" text, "expiresAt" timestamptz)
    ON CONFLICT (unique_key) DO NOTHING`;
  await queryRows(client, { text, values: [JSON.stringify(mails), now.toISOString()] });
}

export type MailOutbox = ReturnType<typeof mailOutbox>;

/** Uses the database's clock, because the replicas' clocks differ (docs/adr/0043). */
export function mailOutbox({ pool }: Database) {
  return {
    /** Claims due emails. Emails with an expiry time come first, but the others get at least half of the limit. */
    async claim(options: { readonly limit: number; readonly leaseMs: number }): Promise<ClaimedMail[]> {
      const { limit, leaseMs } = options;
      const { rows } = await pool.query<ClaimedMail>({
        name: 'claim-mails',
        text: `WITH expiring AS (
                 SELECT id FROM mails WHERE state = 'pending' AND expires_at IS NOT NULL AND next_try_at <= now()
                  ORDER BY expires_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
               ), others AS (
                 SELECT id FROM mails WHERE state = 'pending' AND expires_at IS NULL AND next_try_at <= now()
                  ORDER BY next_try_at, id LIMIT greatest($1 - (SELECT count(*) FROM expiring), $1 / 2)
                    FOR UPDATE SKIP LOCKED
               ), due AS (
                 SELECT id FROM others
                 UNION ALL (SELECT id FROM expiring LIMIT $1 - (SELECT count(*) FROM others))
               )
               UPDATE mails m SET tries = tries + 1, next_try_at = now() + $2 * interval '1 millisecond'
                 FROM due WHERE m.id = due.id
               RETURNING m.id, m.recipient, m.kind, m.data, m.tries, m.created_at AS "createdAt",
                         m.expires_at AS "expiresAt",
                         m.account_id IS NOT NULL AND NOT EXISTS (SELECT FROM members WHERE id = m.member_id) AS "hasLeft",
                         EXISTS (SELECT FROM members
                                  WHERE id = m.member_id
                                    AND CASE m.kind WHEN 'critical_changes' THEN NOT critical_mails
                                                    WHEN 'critical_summary' THEN NOT critical_mails
                                                    WHEN 'destination_failing' THEN NOT destination_mails
                                                    WHEN 'digest' THEN digest = 'never' END) AS "hasUnsubscribed",
                         coalesce((SELECT name FROM accounts WHERE id = m.account_id), '') AS "accountName",
                         coalesce((SELECT zone FROM members WHERE id = m.member_id), 'UTC') AS zone`,
        values: [limit, leaseMs],
      });
      return rows;
    },

    async renew(ids: readonly MailId[], leaseMs: number): Promise<void> {
      // An email that is waiting for a later retry keeps its due time.
      await pool.query(
        `UPDATE mails SET next_try_at = greatest(next_try_at, now() + $2 * interval '1 millisecond')
          WHERE id = ANY($1) AND state = 'pending'`,
        [ids, leaseMs],
      );
    },

    /** Ignores a retry if another replica has claimed the email. */
    async settle({ id, tries }: Pick<ClaimedMail, 'id' | 'tries'>, outcome: MailOutcome): Promise<void> {
      if (outcome.kind === 'retry') {
        await pool.query(
          `UPDATE mails SET next_try_at = now() + $3 * interval '1 millisecond', error = $4
            WHERE id = $1 AND tries = $2 AND state = 'pending'`,
          [id, tries, outcome.afterMs, outcome.error],
        );
        return;
      }
      await pool.query(
        `UPDATE mails SET state = $2::mail_state, next_try_at = NULL, settled_at = now(), error = $3
          WHERE id = $1 AND state = 'pending'`,
        [id, outcome.kind, outcome.kind === 'sent' ? null : outcome.error],
      );
    },

    /** Seconds since the oldest due email was queued, or 0 if none is due. */
    async oldestWaitSeconds(): Promise<number> {
      const { rows } = await pool.query<{ seconds: number | null }>(
        `SELECT extract(epoch FROM now() - min(created_at))::float8 AS seconds
           FROM mails WHERE state = 'pending' AND (tries > 0 OR next_try_at <= now())`,
      );
      return Math.max(0, rows[0]?.seconds ?? 0);
    },
  };
}

export interface RefusedMail {
  readonly isFinal: boolean;
  readonly error: string;
  readonly at: Date;
}

const UNSUBSCRIBE: Readonly<Record<MailList, string>> = {
  critical: 'critical_mails = false',
  destinations: 'destination_mails = false',
  digest: "digest = 'never'",
};

function ruleValues(rules: DestinationRules | undefined) {
  return [rules?.minSeverity, rules?.changeTypes, rules?.artistIds, rules?.groupIds];
}

export function mailPreferenceStore({ pool }: Database) {
  return {
    async read(id: MemberId): Promise<MailPreferences | undefined> {
      const { rows } = await pool.query<MailPreferences>({
        name: 'read-mail-preferences',
        text: `SELECT critical_mails AS critical, destination_mails AS destinations, digest,
                      ${rulesJson('mail_')} AS rules, ${rulesJson('digest_')} AS "digestRules"
                 FROM members WHERE id = $1`,
        values: [id],
      });
      return rows[0];
    },

    /** Omitted preferences stay unchanged. */
    async write(id: MemberId, preferences: Partial<MailPreferences>): Promise<void> {
      const { critical, destinations, digest, rules, digestRules } = preferences;
      await pool.query(
        `UPDATE members SET critical_mails = coalesce($2, critical_mails),
                destination_mails = coalesce($3, destination_mails), digest = coalesce($4::digest_cadence, digest),
                mail_min_severity = CASE WHEN $6::text[] IS NULL THEN mail_min_severity ELSE $5::severity END,
                mail_change_types = coalesce($6, mail_change_types), mail_artist_ids = coalesce($7::text[], mail_artist_ids),
                mail_group_ids = coalesce($8::text[], mail_group_ids),
                digest_min_severity = CASE WHEN $10::text[] IS NULL THEN digest_min_severity ELSE $9::severity END,
                digest_change_types = coalesce($10, digest_change_types),
                digest_artist_ids = coalesce($11::text[], digest_artist_ids),
                digest_group_ids = coalesce($12::text[], digest_group_ids)
          WHERE id = $1`,
        [id, critical, destinations, digest, ...ruleValues(rules), ...ruleValues(digestRules)],
      );
    },

    async end(id: MemberId, list: MailList): Promise<boolean> {
      const { rowCount } = await pool.query(`UPDATE members SET ${UNSUBSCRIBE[list]} WHERE id = $1`, [id]);
      return rowCount === 1;
    },

    /** Returns the members whose last email was permanently rejected or is being retried. */
    async refusals(accountId: AccountId): Promise<ReadonlyMap<MemberId, RefusedMail>> {
      const { rows } = await pool.query<RefusedMail & { id: MemberId }>({
        name: 'read-refused-mails',
        text: `SELECT m.id, last.error, coalesce(last.settled_at, last.created_at) AS at, last.state = 'refused' AS "isFinal"
           FROM members m
          CROSS JOIN LATERAL (SELECT state, error, settled_at, created_at FROM mails
                               WHERE member_id = m.id
                                 AND (state IN ('sent', 'refused') OR (state = 'pending' AND error IS NOT NULL))
                               ORDER BY id DESC LIMIT 1) last
          WHERE m.account_id = $1 AND last.state <> 'sent'`,
        values: [accountId],
      });
      return new Map(rows.map(({ id, ...refusal }) => [id, refusal]));
    },
  };
}

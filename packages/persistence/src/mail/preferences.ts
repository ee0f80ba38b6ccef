import type { DigestCadence, MailList, MailPreferences } from '@artist-watch/domain/account/mail-preferences';
import type { AccountId, MemberId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

/** The rejection of the last email to a member by the mail server. */
export interface RefusedMail {
  /** True if the rejection is permanent; false if the email is retried. */
  readonly isFinal: boolean;
  readonly error: string;
  readonly at: Date;
}

const UNSUBSCRIBE: Readonly<Record<MailList, string>> = {
  critical: 'critical_mails = false',
  destinations: 'destination_mails = false',
  digest: "digest = 'never'",
};

export function mailPreferenceStore({ pool }: Database) {
  return {
    /** Returns undefined for a former member. */
    async read(id: MemberId): Promise<MailPreferences | undefined> {
      const { rows } = await pool.query<{ critical: boolean; destinations: boolean; digest: DigestCadence }>({
        name: 'read-mail-preferences',
        text: 'SELECT critical_mails AS critical, destination_mails AS destinations, digest FROM members WHERE id = $1',
        values: [id],
      });
      return rows[0];
    },

    /** Updates the given preferences. Omitted preferences stay unchanged. */
    async write(id: MemberId, { critical, destinations, digest }: Partial<MailPreferences>): Promise<void> {
      await pool.query(
        `UPDATE members SET critical_mails = coalesce($2, critical_mails),
                destination_mails = coalesce($3, destination_mails), digest = coalesce($4::digest_cadence, digest)
          WHERE id = $1`,
        [id, critical, destinations, digest],
      );
    },

    /** Unsubscribes a member from a list. @returns false for a former member. */
    async end(id: MemberId, list: MailList): Promise<boolean> {
      const { rowCount } = await pool.query(`UPDATE members SET ${UNSUBSCRIBE[list]} WHERE id = $1`, [id]);
      return rowCount === 1;
    },

    /** Returns the members of an account whose last email was rejected permanently or is being retried. */
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

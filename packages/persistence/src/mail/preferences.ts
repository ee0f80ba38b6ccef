import type { DigestCadence, MailList, MailPreferences } from '@artist-watch/domain/account/mail-preferences';
import type { AccountId, MemberId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

/** What the mail server said to the last mail to a member, where it will never take it. */
export interface RefusedMail {
  readonly error: string;
  readonly at: Date;
}

export interface MailPreferenceStore {
  /** Undefined for who is no member. */
  read(id: MemberId): Promise<MailPreferences | undefined>;
  /** What is not given stays. */
  write(id: MemberId, preferences: Partial<MailPreferences>): Promise<void>;
  /** Ends the mails of a list. @returns false for who is no member (any longer). */
  end(id: MemberId, list: MailList): Promise<boolean>;
  /** Of an account's members, those whose last settled mail was refused. */
  refusals(accountId: AccountId): Promise<ReadonlyMap<MemberId, RefusedMail>>;
}

const ENDED: Readonly<Record<MailList, string>> = {
  critical: 'critical_mails = false',
  destinations: 'destination_mails = false',
  digest: "digest = 'never'",
};

export function mailPreferenceStore({ pool }: Database): MailPreferenceStore {
  return {
    async read(id) {
      const { rows } = await pool.query<{ critical: boolean; destinations: boolean; digest: DigestCadence }>(
        'SELECT critical_mails AS critical, destination_mails AS destinations, digest FROM members WHERE id = $1',
        [id],
      );
      return rows[0];
    },

    async write(id, { critical, destinations, digest }) {
      await pool.query(
        `UPDATE members SET critical_mails = coalesce($2, critical_mails),
                destination_mails = coalesce($3, destination_mails), digest = coalesce($4::digest_cadence, digest)
          WHERE id = $1`,
        [id, critical, destinations, digest],
      );
    },

    async end(id, list) {
      const { rowCount } = await pool.query(`UPDATE members SET ${ENDED[list]} WHERE id = $1`, [id]);
      return rowCount === 1;
    },

    async refusals(accountId) {
      const { rows } = await pool.query<{ id: MemberId; error: string; at: Date }>(
        `SELECT m.id, last.error, last.settled_at AS at FROM members m
          CROSS JOIN LATERAL (SELECT state, error, settled_at FROM mails
                               WHERE member_id = m.id AND state IN ('sent', 'refused') ORDER BY id DESC LIMIT 1) last
          WHERE m.account_id = $1 AND last.state = 'refused'`,
        [accountId],
      );
      return new Map(rows.map(({ id, error, at }) => [id, { error, at }]));
    },
  };
}

import type { MailList, MailPreferences } from '@artist-watch/domain/account/mail-preferences';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, MemberId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { rulesJson } from '../destination/reads.js';

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

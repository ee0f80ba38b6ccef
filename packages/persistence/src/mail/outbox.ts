import type { AccountId, MailId, MemberId } from '@artist-watch/domain/ids';
import { type Database, rowsOf, type Statements } from '../database/database.js';

/** A mail as the outbox keeps it: what happened, as data; the text is made when it is sent. */
export interface NewMail {
  readonly accountId: AccountId | null;
  readonly memberId: MemberId | null;
  readonly recipient: string;
  /** A kind of packages/mail, and what its renderer takes. Never a secret: the record is copied. */
  readonly kind: string;
  readonly data: unknown;
  /** A second mail with the same key is not made; for what several replicas would make, such as a digest. */
  readonly uniqueKey?: string;
  /** Later it is discarded. */
  readonly expiresAt?: Date;
}

/** A mail that this process may send until its lease ends. */
export interface ClaimedMail {
  readonly id: MailId;
  readonly recipient: string;
  readonly kind: string;
  readonly data: unknown;
  /** Tries so far, this one included. */
  readonly tries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** It is of an account in which its recipient has no seat any more. */
  readonly hasLeft: boolean;
  /** The name of the account; empty where the mail is of none. */
  readonly accountName: string;
  /** The member's; UTC for who is none. */
  readonly zone: string;
}

export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The mail server will never take it; it came too late, or its recipient has left. */
  | { readonly kind: 'refused' | 'discarded'; readonly error: string }
  | { readonly kind: 'retry'; readonly error: string; readonly afterMs: number };

/** Writes mails in one statement. Give it the client of a transaction, so that they are committed with what they report. */
export async function insertMails(client: Statements, mails: readonly NewMail[], now: Date): Promise<void> {
  if (mails.length === 0) return;
  const text = `
    INSERT INTO mails (id, account_id, member_id, recipient, kind, data, unique_key, next_try_at, expires_at, created_at)
    SELECT new_id('mai', $2::timestamptz), m."accountId", m."memberId", m.recipient, m.kind, m.data, m."uniqueKey",
           least($2::timestamptz, now()), m."expiresAt", $2::timestamptz
      FROM jsonb_to_recordset($1::jsonb) AS m ("accountId" text, "memberId" text, recipient text, kind text, data jsonb,
           "uniqueKey" text, "expiresAt" timestamptz)
    ON CONFLICT (unique_key) DO NOTHING`;
  await rowsOf(client, { text, values: [JSON.stringify(mails), now.toISOString()] });
}

export type MailOutbox = ReturnType<typeof mailOutbox>;

/** Its instants are the record's (docs/adr/0043): replicas whose clocks disagree neither take each other's mails nor wait. */
export function mailOutbox({ pool }: Database) {
  return {
    /**
     * Takes mails that are due: those that expire, which somebody waits for, the soonest first, then the oldest others, which
     * get at least half of the places (rounded down) while both wait. Another replica passes them over until the lease ends,
     * and then sends them again, with the same Message-ID.
     */
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
                         coalesce((SELECT name FROM accounts WHERE id = m.account_id), '') AS "accountName",
                         coalesce((SELECT zone FROM members WHERE id = m.member_id), 'UTC') AS zone`,
        values: [limit, leaseMs],
      });
      return rows;
    },

    /** Keeps mails that this process is still sending. */
    async renew(ids: readonly MailId[], leaseMs: number): Promise<void> {
      // One that was settled meanwhile waits for its own time, which may be later.
      await pool.query(
        `UPDATE mails SET next_try_at = greatest(next_try_at, now() + $2 * interval '1 millisecond')
          WHERE id = ANY($1) AND state = 'pending'`,
        [ids, leaseMs],
      );
    },

    /** A retry changes nothing once another replica has taken the mail. */
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

    /** For how long the oldest mail has been due, in seconds; 0 when none is. */
    async oldestWaitSeconds(): Promise<number> {
      const { rows } = await pool.query<{ seconds: number | null }>(
        `SELECT extract(epoch FROM now() - min(created_at))::float8 AS seconds
           FROM mails WHERE state = 'pending' AND (tries > 0 OR next_try_at <= now())`,
      );
      return Math.max(0, rows[0]?.seconds ?? 0);
    },
  };
}

import type { MemberRole } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, MemberId, SessionId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { firstIdAt } from '../database/sql-text.js';

const DAY_MS = 86_400_000;
/** docs/reference/dashboard.md: 14 days without use, and never more than 90. */
export const SESSION_IDLE_MS = 14 * DAY_MS;
export const SESSION_LIFETIME_MS = 90 * DAY_MS;

export interface SessionRecord {
  readonly id: SessionId;
  readonly email: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** Until then no fresh code is asked for. */
  readonly freshUntil: Date;
  readonly clientAddress: string;
  readonly userAgent: string;
}

/** A member in one account, as pages need it. */
export interface Seat {
  readonly memberId: MemberId;
  readonly role: MemberRole;
  /** IANA time zone. */
  readonly zone: string;
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly plan: PlanName;
}

export interface SessionStore {
  /**
   * The session of a cookie, and its seat in one account; undefined when it ended or is too old. One statement.
   *
   * @param accountId undefined where no account is asked for
   */
  find(
    tokenSha256: Uint8Array,
    accountId: AccountId | undefined,
    now: Date,
  ): Promise<{ readonly session: SessionRecord; readonly seat: Seat | undefined } | undefined>;
  /** Every account where the address has a seat, by name. */
  seats(email: string): Promise<Seat[]>;
  /** Used at this instant. */
  touch(id: SessionId, now: Date): Promise<void>;
  /** The one used last first. */
  list(email: string, now: Date): Promise<SessionRecord[]>;
  /** Ends one session of the address; false when there is none. */
  end(id: SessionId, email: string): Promise<boolean>;
  /** Ends all sessions of the address. */
  endAll(email: string): Promise<void>;
}

const SESSION_COLUMNS = `s.id, s.email, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt",
  s.fresh_until AS "freshUntil", s.client_address AS "clientAddress", s.user_agent AS "userAgent"`;
const SEAT_COLUMNS = `m.id AS "memberId", m.role::text AS role, m.zone, a.id AS "accountId", a.name AS "accountName",
  a.plan::text AS plan`;

export function sessionStore(database: Database): SessionStore {
  const { pool } = database;
  /** Values $2 and $3 of a condition. */
  const oldest = (now: Date) => [
    new Date(now.getTime() - SESSION_IDLE_MS),
    firstIdAt('ses', new Date(now.getTime() - SESSION_LIFETIME_MS)),
  ];
  return {
    async find(tokenSha256, accountId, now) {
      const { rows } = await pool.query<SessionRecord & Omit<Seat, 'memberId'> & { memberId: MemberId | null }>({
        name: 'find-session',
        text: `SELECT ${SESSION_COLUMNS}, ${SEAT_COLUMNS}
                 FROM sessions s
                 LEFT JOIN (members m JOIN accounts a ON a.id = m.account_id)
                   ON m.email = s.email AND m.account_id = $4
                WHERE s.token_sha256 = $1 AND s.last_seen_at > $2 AND s.id >= $3`,
        values: [tokenSha256, ...oldest(now), accountId ?? null],
      });
      const [row] = rows;
      if (!row) return undefined;
      const { memberId, role, zone, accountName, plan, accountId: foundId, ...session } = row;
      return { session, seat: memberId ? { memberId, role, zone, accountId: foundId, accountName, plan } : undefined };
    },

    async seats(email) {
      const { rows } = await pool.query<Seat>({
        name: 'list-seats',
        text: `SELECT ${SEAT_COLUMNS} FROM members m JOIN accounts a ON a.id = m.account_id
                WHERE m.email = $1 ORDER BY a.name, a.id`,
        values: [email],
      });
      return rows;
    },

    async touch(id, now) {
      await pool.query({ text: 'UPDATE sessions SET last_seen_at = $2 WHERE id = $1', values: [id, now] });
    },

    async list(email, now) {
      const { rows } = await pool.query<SessionRecord>({
        name: 'list-sessions',
        text: `SELECT ${SESSION_COLUMNS} FROM sessions s
                WHERE s.email = $1 AND s.last_seen_at > $2 AND s.id >= $3 ORDER BY s.last_seen_at DESC, s.id DESC`,
        values: [email, ...oldest(now)],
      });
      return rows;
    },

    async end(id, email) {
      const { rowCount } = await pool.query('DELETE FROM sessions WHERE id = $1 AND email = $2', [id, email]);
      return rowCount === 1;
    },

    async endAll(email) {
      await pool.query('DELETE FROM sessions WHERE email = $1', [email]);
    },
  };
}

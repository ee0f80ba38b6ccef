import type { MemberRole } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ArtistId, MemberId, SessionId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { firstIdAt } from '../database/sql-text.js';

const DAY_MS = 86_400_000;
/** Documented in docs/reference/dashboard.md. */
export const SESSION_IDLE_MS = 14 * DAY_MS;
export const SESSION_LIFETIME_MS = 90 * DAY_MS;

export interface SessionRecord {
  readonly id: SessionId;
  readonly email: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly freshUntil: Date;
  readonly clientAddress: string;
  readonly userAgent: string;
}

export interface Membership {
  readonly memberId: MemberId;
  readonly role: MemberRole;
  /** IANA time zone. */
  readonly zone: string;
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly plan: PlanName;
}

export interface SessionQuery {
  readonly accountId?: AccountId | undefined;
  readonly artistId?: ArtistId | undefined;
}

export interface FoundSession {
  readonly session: SessionRecord;
  readonly membership: Membership | undefined;
  /** Undefined if the account does not watch the requested artist. */
  readonly artistName: string | undefined;
}

const SESSION_COLUMNS = `s.id, s.email, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt",
  s.fresh_until AS "freshUntil", s.client_address AS "clientAddress", s.user_agent AS "userAgent"`;
const MEMBERSHIP_COLUMNS = `m.id AS "memberId", m.role::text AS role, m.zone, a.id AS "accountId", a.name AS "accountName",
  a.plan::text AS plan`;

const ARTIST_NAME = `(SELECT artists.name FROM watches w JOIN artists ON artists.id = w.artist_id
                        WHERE w.account_id = a.id AND w.artist_id = $5)`;

type FoundRow = SessionRecord &
  Omit<Membership, 'memberId'> & { readonly memberId: MemberId | null; readonly artistName: string | null };

export type SessionStore = ReturnType<typeof sessionStore>;

export function sessionStore(database: Database) {
  const { pool } = database;
  const oldest = (now: Date) => [
    new Date(now.getTime() - SESSION_IDLE_MS),
    firstIdAt('ses', new Date(now.getTime() - SESSION_LIFETIME_MS)),
  ];
  return {
    /**
     * Returns undefined if the session has expired or ended. Also reads the name of the page's artist, to save a second
     * query.
     */
    async find(tokenSha256: Uint8Array, requested: SessionQuery, now: Date): Promise<FoundSession | undefined> {
      const { accountId, artistId } = requested;
      const withArtist = artistId !== undefined;
      const { rows } = await pool.query<FoundRow>({
        name: withArtist ? 'find-session-and-artist' : 'find-session',
        text: `SELECT ${SESSION_COLUMNS}, ${MEMBERSHIP_COLUMNS}, ${withArtist ? ARTIST_NAME : 'NULL'} AS "artistName"
                 FROM sessions s
                 LEFT JOIN (members m JOIN accounts a ON a.id = m.account_id)
                   ON m.email = s.email AND m.account_id = $4
                WHERE s.token_sha256 = $1 AND s.last_seen_at > $2 AND s.id >= $3`,
        values: [tokenSha256, ...oldest(now), accountId ?? null, ...(withArtist ? [artistId] : [])],
      });
      const [row] = rows;
      if (!row) return undefined;
      const { memberId, role, zone, accountName, plan, accountId: foundId, artistName, ...session } = row;
      const membership = memberId ? { memberId, role, zone, accountId: foundId, accountName, plan } : undefined;
      return { session, membership, artistName: artistName ?? undefined };
    },

    async memberships(email: string): Promise<Membership[]> {
      const { rows } = await pool.query<Membership>({
        name: 'list-seats',
        text: `SELECT ${MEMBERSHIP_COLUMNS} FROM members m JOIN accounts a ON a.id = m.account_id
                WHERE m.email = $1 ORDER BY a.name, a.id`,
        values: [email],
      });
      return rows;
    },

    async touch(id: SessionId, now: Date): Promise<void> {
      await pool.query({ text: 'UPDATE sessions SET last_seen_at = $2 WHERE id = $1', values: [id, now] });
    },

    async list(email: string, now: Date): Promise<SessionRecord[]> {
      const { rows } = await pool.query<SessionRecord>({
        name: 'list-sessions',
        text: `SELECT ${SESSION_COLUMNS} FROM sessions s
                WHERE s.email = $1 AND s.last_seen_at > $2 AND s.id >= $3 ORDER BY s.last_seen_at DESC, s.id DESC`,
        values: [email, ...oldest(now)],
      });
      return rows;
    },

    async end(id: SessionId, email: string): Promise<boolean> {
      const { rowCount } = await pool.query('DELETE FROM sessions WHERE id = $1 AND email = $2', [id, email]);
      return rowCount === 1;
    },

    async endAll(email: string): Promise<void> {
      await pool.query('DELETE FROM sessions WHERE email = $1', [email]);
    },
  };
}

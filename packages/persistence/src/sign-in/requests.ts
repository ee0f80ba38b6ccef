import {
  FRESH_CODE_MS,
  isProofOf,
  MAX_SIGN_IN_TRIES,
  SIGN_IN_WINDOW_MS,
  type SignInProof,
  type SignInProofs,
} from '@artist-watch/domain/account/credentials';
import type { SessionId, SignInRequestId } from '@artist-watch/domain/ids';
import { Gate } from '@artist-watch/runtime/gate';
import type pg from 'pg';
import { canonicalAddress, storedAddress } from '../account/members.js';
import { inTransaction } from '../database/database.js';
import type { Databases } from '../database/reach-database.js';

/**
 * Limits per window (docs/reference/dashboard.md). Requests from unknown networks are counted separately, so that
 * strangers cannot lock a member out.
 */
const ADDRESS_LIMIT = 5;
const ADDRESS_LIMIT_PER_DAY = 20;
/**
 * Counts requests from all clients together, because one person can use hundreds of clients. Excludes codes requested
 * within a session.
 */
const TOTAL_ADDRESS_LIMIT_PER_DAY = 60;
const CLIENT_LIMIT = 30;
const DAY_MS = 86_400_000;

export interface NewSignInRequest {
  readonly id: SignInRequestId;
  readonly email: string;
  readonly clientNetwork: string;
  /** The client's network in the form stored with known devices. */
  readonly place: string;
  readonly browserSha256: Uint8Array;
  readonly sessionId?: SessionId;
  readonly now: Date;
}

export interface RequestingBrowser {
  readonly id: SignInRequestId;
  readonly browserSha256: Uint8Array;
}

/** `elsewhere`: a different browser made the sign-in request, or the request does not exist. */
export type ProofRefusal =
  | { readonly kind: 'wrong'; readonly triesLeft: number }
  | { readonly kind: 'spent' | 'expired' | 'used' | 'elsewhere' };

export interface NewSession {
  readonly id: SessionId;
  readonly tokenSha256: Uint8Array;
  readonly clientAddress: string;
  readonly userAgent: string;
  /** Any new combination of browser name and network counts as a new device. */
  readonly device: string;
  readonly place: string;
  /** The browser's IANA time zone, stored for new members. Undefined if the browser doesn't run scripts. */
  readonly zone: string | undefined;
}

export type SignInStore = ReturnType<typeof signInStore>;

/** Limits concurrent lookups, because anyone can send made-up cookies. */
const LOOKUPS = { maxRunning: 2, maxWaiting: 100, maxWaitMs: 1_000 };

export function signInStore({ reads, writes: { pool } }: Pick<Databases, 'reads' | 'writes'>, proofs: SignInProofs) {
  const lookups = new Gate(LOOKUPS);
  return {
    /**
     * Emails a link and a code. Neither the timing nor the result reveals whether the address belongs to a member.
     * Returns false if a limit has been reached.
     */
    begin: (request: NewSignInRequest): Promise<boolean> => inTransaction(pool, (client) => begin(client, request)),

    /**
     * Returns the canonical address, even if no member has it. Returns undefined if this browser did not make the
     * request.
     */
    async find({ id, browserSha256 }: RequestingBrowser): Promise<{ readonly email: string } | undefined> {
      const text = 'SELECT email FROM sign_in_requests WHERE id = $1 AND browser_sha256 = $2';
      const { rows } = await lookups.run(() => reads.pool.query<{ email: string }>(text, [id, browserSha256]));
      return rows[0] && { email: canonicalAddress(rows[0].email) };
    },

    /** True if a sign-in of this email address has used the link. */
    async isUsed(id: string, email: string): Promise<boolean> {
      const text = 'SELECT email FROM sign_in_requests WHERE id = $1 AND used_at IS NOT NULL';
      const { rows } = await lookups.run(() => reads.pool.query<{ email: string }>(text, [id]));
      return rows.some((row) => canonicalAddress(row.email) === canonicalAddress(email));
    },

    /**
     * Starts a session if the proof is correct. If several attempts run in parallel, only one of them starts a session.
     * @returns undefined if a session was started.
     */
    signIn: (
      browser: RequestingBrowser,
      proof: SignInProof,
      session: NewSession,
      now: Date,
    ): Promise<ProofRefusal | undefined> =>
      inTransaction(pool, async (client) => {
        const tried = await tryProof(client, proofs, browser, proof, now);
        if ('refusal' in tried) return tried.refusal;
        if (tried.sessionId !== null || !(await join(client, tried.email, session, now)))
          return { kind: 'wrong', triesLeft: 0 };
        await client.query(
          `INSERT INTO sessions
             (id, email, token_sha256, created_at, last_seen_at, fresh_until, client_address, user_agent)
           VALUES ($1, $2, $3, $4, $4, $5, $6, $7)`,
          [
            ...[session.id, tried.email, session.tokenSha256, now, new Date(now.getTime() + FRESH_CODE_MS)],
            ...[session.clientAddress, session.userAgent],
          ],
        );
        return undefined;
      }),

    /** Like `signIn`, but for an existing session. Afterwards, the session doesn't need a fresh code for a while. */
    refresh: (
      browser: RequestingBrowser,
      proof: SignInProof,
      session: SessionId,
      now: Date,
    ): Promise<ProofRefusal | undefined> =>
      inTransaction(pool, async (client) => {
        const tried = await tryProof(client, proofs, browser, proof, now);
        if ('refusal' in tried) return tried.refusal;
        if (tried.sessionId !== session) return { kind: 'elsewhere' };
        const freshUntil = new Date(now.getTime() + FRESH_CODE_MS);
        await client.query('UPDATE sessions SET fresh_until = $2 WHERE id = $1', [session, freshUntil]);
        return undefined;
      }),
  };
}

/** Serialized per email address and client, so that the limits are exact across replicas. */
async function begin(client: pg.PoolClient, request: NewSignInRequest): Promise<boolean> {
  const { id, clientNetwork, place, browserSha256, sessionId, now } = request;
  const email = await storedAddress(client, request.email);
  await client.query(
    'SELECT pg_advisory_xact_lock(key) FROM (SELECT hashtextextended(unnest($1::text[]), 21) AS key ORDER BY key) k',
    [[`address ${email}`, `client ${clientNetwork}`]],
  );
  const { rowCount } = await client.query(
    `WITH asked AS (
       SELECT count(*) FILTER (WHERE created_at > $6) AS of_address, count(*) AS of_address_today,
              (SELECT count(*) FROM sign_in_requests WHERE client_network = $3 AND created_at > $6) AS of_client,
              (SELECT count(*) FROM sign_in_requests
                WHERE email = $2 AND created_at > $7 AND session_id IS NULL) AS of_address_in_all
         FROM sign_in_requests
        WHERE email = $2 AND created_at > $7 AND session_id IS NOT DISTINCT FROM $5
          AND ($5::text IS NOT NULL OR client_network = $3
               OR NOT EXISTS (SELECT FROM known_devices WHERE email = $2 AND place = $13))
     ), request AS (
       INSERT INTO sign_in_requests (id, email, client_network, browser_sha256, session_id, created_at)
       SELECT $1, $2, $3, $4, $5, $8 FROM asked
        WHERE of_address < $9 AND of_address_today < $10 AND of_client < $11
          AND ($5::text IS NOT NULL OR of_address_in_all < $14)
       RETURNING id
     )
     INSERT INTO mails (id, member_id, recipient, kind, data, state, next_try_at, expires_at, created_at, settled_at)
     SELECT new_id('mai', $8), seat, $2, CASE WHEN $5::text IS NULL THEN 'sign_in' ELSE 'fresh_code' END,
            jsonb_build_object('request', id), CASE WHEN seat IS NULL THEN 'discarded' ELSE 'pending' END::mail_state,
            CASE WHEN seat IS NOT NULL THEN least($8, now()) END, $12, $8, CASE WHEN seat IS NULL THEN $8::timestamptz END
       FROM request, (SELECT min(id) AS seat FROM members WHERE email = $2) member`,
    [
      ...[id, email, clientNetwork, browserSha256, sessionId ?? null],
      ...[new Date(now.getTime() - SIGN_IN_WINDOW_MS), new Date(now.getTime() - DAY_MS), now],
      ...[ADDRESS_LIMIT, ADDRESS_LIMIT_PER_DAY, CLIENT_LIMIT, new Date(now.getTime() + SIGN_IN_WINDOW_MS), place],
      TOTAL_ADDRESS_LIMIT_PER_DAY,
    ],
  );
  return rowCount === 1;
}

type Tried = { readonly email: string; readonly sessionId: SessionId | null } | { readonly refusal: ProofRefusal };

/** Counts the attempt before checking the proof, so that parallel attempts cannot exceed the limit. */
async function tryProof(
  client: pg.PoolClient,
  proofs: SignInProofs,
  { id, browserSha256 }: RequestingBrowser,
  proof: SignInProof,
  now: Date,
): Promise<Tried> {
  const { rows } = await client.query<{
    email: string;
    session_id: SessionId | null;
    tries: number;
    created_at: Date;
    used_at: Date | null;
  }>(
    `UPDATE sign_in_requests SET tries = tries + 1 WHERE id = $1 AND browser_sha256 = $2
     RETURNING email, session_id, tries, created_at, used_at`,
    [id, browserSha256],
  );
  const [row] = rows;
  if (!row) return { refusal: { kind: 'elsewhere' } };
  if (row.used_at !== null) return { refusal: { kind: 'used' } };
  if (now.getTime() - row.created_at.getTime() >= SIGN_IN_WINDOW_MS) return { refusal: { kind: 'expired' } };
  if (row.tries > MAX_SIGN_IN_TRIES) return { refusal: { kind: 'spent' } };
  if (!isProofOf(proofs, id, proof)) {
    return { refusal: { kind: 'wrong', triesLeft: MAX_SIGN_IN_TRIES - row.tries } };
  }
  await client.query('UPDATE sign_in_requests SET used_at = $2 WHERE id = $1', [id, now]);
  return { email: row.email, sessionId: row.session_id };
}

/**
 * Returns false if no member has this address. In the statement, `xmax = 0` is true only for inserted rows, not for
 * updated ones.
 */
async function join(client: pg.PoolClient, email: string, session: NewSession, now: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    `WITH joined AS (
       SELECT EXISTS (SELECT FROM members WHERE email = $1 AND joined_at IS NOT NULL) AS before
     ), seat AS (
       UPDATE members SET joined_at = coalesce(joined_at, $2),
                          zone = CASE WHEN joined_at IS NULL THEN coalesce($6, zone) ELSE zone END
        WHERE email = $1 RETURNING id, account_id, email
     ), device AS (
       INSERT INTO known_devices (email, device, place, last_seen_at)
       SELECT $1, $3, $4, $2 WHERE EXISTS (SELECT FROM seat)
       ON CONFLICT (email, device, place) DO UPDATE SET last_seen_at = excluded.last_seen_at
       RETURNING xmax = 0 AS is_new
     ), mail AS (
       INSERT INTO mails (id, account_id, member_id, recipient, kind, data, next_try_at, created_at)
       SELECT new_id('mai', $2), seat.account_id, seat.id, $1, 'new_device',
              jsonb_build_object('account', seat.account_id, 'device', $3::text, 'address', $5::text, 'at', $2), least($2, now()), $2
         FROM device, joined, (SELECT id, account_id FROM seat ORDER BY id LIMIT 1) seat
        WHERE device.is_new AND joined.before
     )
     INSERT INTO audit_events (id, account_id, at, actor_kind, actor_id, actor_name, action, subject_id, subject_name)
     SELECT new_id('aud', $2), account_id, $2, 'member', id, email, 'member.signed_in', id, email FROM seat`,
    [email, now, session.device, session.place, session.clientAddress, session.zone ?? null],
  );
  return (rowCount ?? 0) > 0;
}

import type { AccountId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Database } from './database/database.js';
import type { Prisma } from './generated/prisma/client.js';
import type { SecretBox } from './secret-box.js';

const HOUR_MS = 3_600_000;

/** How long an answer is kept for repeats of its request (docs/reference/api.md). */
export const IDEMPOTENCY_WINDOW_MS = 24 * HOUR_MS;

/**
 * A request that has not been answered after this long died with its process, it seems: its repeat takes over. If it is
 * alive after all, its work is rolled back, or the repeat finds it done.
 */
const ABANDONED_AFTER_MS = 15_000;

export interface KeyedRequest {
  readonly accountId: AccountId;
  /** What the caller sent as Idempotency-Key. */
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly requestDigest: Uint8Array;
  readonly now: Date;
}

export type Beginning =
  /**
   * Nobody has answered this request yet: answer it, then `finish` or `forget`.
   *
   * @property since when it was first made: earlier than now where a fault, or a process that died, left it unanswered.
   * @property progress what it did then; null for nothing.
   */
  | { readonly kind: 'begun'; readonly since: Date; readonly progress: object | null }
  /** It was answered before: with this. */
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** It is being answered at this moment. */
  | { readonly kind: 'running' }
  /** The key was used for another request. */
  | { readonly kind: 'conflict' };

export interface IdempotencyStore {
  /**
   * Of any number of equal requests at once, one is told `begun`. A key stays with its request for the whole window.
   */
  begin(request: KeyedRequest): Promise<Beginning>;
  /**
   * Keeps the answer. It is sealed, since answers show new secrets once.
   *
   * @returns false when a repeat has taken over meanwhile: its answer counts.
   */
  finish(request: KeyedRequest, answer: { readonly status: number; readonly body: string }): Promise<boolean>;
  /** The request could not be answered (a fault of ours): a repeat tries again, at once. */
  forget(request: KeyedRequest): Promise<void>;
}

export function idempotencyStore({ pool, turns }: Database, box: SecretBox): IdempotencyStore {
  return {
    async begin({ accountId, key, requestDigest, now }) {
      const { rows: begun } = await turns.run(contextOf(accountId, key), () =>
        pool.query<{ since: Date; progress: object | null }>(
          `INSERT INTO idempotency_keys AS k (account_id, key, request_digest, created_at, begun_at)
         VALUES ($1, $2, $3, $4, $4)
         ON CONFLICT (account_id, key) DO UPDATE
            SET request_digest = excluded.request_digest, begun_at = excluded.begun_at, status = NULL, body = NULL,
                created_at = CASE WHEN k.created_at > $5 THEN k.created_at ELSE excluded.created_at END,
                progress = CASE WHEN k.created_at > $5 THEN k.progress END
          WHERE k.created_at <= $5
             OR (k.request_digest = excluded.request_digest AND k.status IS NULL
                 AND (k.begun_at IS NULL OR k.begun_at <= $6))
         RETURNING created_at AS since, progress`,
          [
            accountId,
            key,
            requestDigest,
            now,
            new Date(now.getTime() - IDEMPOTENCY_WINDOW_MS),
            new Date(now.getTime() - ABANDONED_AFTER_MS),
          ],
        ),
      );
      if (begun[0]) return { kind: 'begun', ...begun[0] };
      const { rows } = await pool.query<{ same: boolean; status: number | null; body: string | null }>(
        `SELECT request_digest = $3 AS same, status, body FROM idempotency_keys WHERE account_id = $1 AND key = $2`,
        [accountId, key, requestDigest],
      );
      const [earlier] = rows;
      // Pruned between the two statements: whoever sent this may simply send it again.
      if (!earlier) return { kind: 'running' };
      if (!earlier.same) return { kind: 'conflict' };
      if (earlier.status === null || earlier.body === null) return { kind: 'running' };
      const body = box.open(Buffer.from(earlier.body, 'base64'), contextOf(accountId, key));
      return { kind: 'answered', status: earlier.status, body };
    },

    async finish({ accountId, key, now }, { status, body }) {
      const sealed = Buffer.from(box.seal(body, contextOf(accountId, key))).toString('base64');
      const { rowCount } = await pool.query(
        `UPDATE idempotency_keys SET status = $3, body = $4, begun_at = NULL
          WHERE account_id = $1 AND key = $2 AND begun_at = $5 AND status IS NULL`,
        [accountId, key, status, sealed, now],
      );
      return rowCount === 1;
    },

    async forget({ accountId, key, now }) {
      await pool.query(
        `UPDATE idempotency_keys SET begun_at = NULL
          WHERE account_id = $1 AND key = $2 AND begun_at = $3 AND status IS NULL`,
        [accountId, key, now],
      );
    },
  };
}

function contextOf(accountId: AccountId, key: string): string {
  return `idempotency:${accountId}:${key}`;
}

/** That a request with an Idempotency-Key was begun. */
export interface IdempotencyRecord {
  readonly accountId: AccountId;
  readonly key: string;
  /** By which try of the request; a later one takes over from it. */
  readonly begunAt: Date;
  /** What earlier tries recorded; null for nothing. */
  readonly progress: object | null;
}

/** A repeat has taken over, since this try looked dead: what it was about to do is for the repeat to do. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

type Transaction = Prisma.TransactionClient | pg.PoolClient;

/**
 * Does what a keyed request asks for, unless an earlier try of it has. For what takes one transaction.
 *
 * @returns undefined where an earlier try has done it: what came of it is in the record.
 * @throws Superseded
 */
export async function doneOnce<Result>(
  transaction: Transaction,
  idempotencyRecord: IdempotencyRecord | undefined,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  if (idempotencyRecord?.progress) return undefined;
  const result = await work();
  await recordProgress(transaction, idempotencyRecord, {});
  return result;
}

const MARK = `
  UPDATE idempotency_keys SET progress = $4::jsonb
   WHERE account_id = $1 AND key = $2 AND begun_at = $3::timestamptz AND status IS NULL`;

/**
 * Writes down what the transaction has done, as its last statement: both are there, or neither. A repeat that takes over
 * before finds no progress, and this try cannot record any; one that comes after waits for the row, and reads it.
 *
 * @throws Superseded, for the transaction to be rolled back.
 */
export async function recordProgress(
  transaction: Transaction,
  idempotencyRecord: IdempotencyRecord | undefined,
  progress: object,
): Promise<void> {
  if (!idempotencyRecord) return;
  const { accountId, key, begunAt } = idempotencyRecord;
  const values = [accountId, key, begunAt.toISOString(), JSON.stringify(progress)];
  const recorded =
    '$executeRawUnsafe' in transaction
      ? await transaction.$executeRawUnsafe(MARK, ...values)
      : (await transaction.query(MARK, values)).rowCount;
  if (recorded !== 1) throw new Superseded('A repeat of this request has taken over.');
}

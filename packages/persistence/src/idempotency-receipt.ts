import type { AccountId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Prisma } from './generated/prisma/client.js';

/** That a request with an Idempotency-Key was begun (idempotency-store.ts). */
export interface Receipt {
  readonly accountId: AccountId;
  readonly key: string;
  /** By which try of the request; a later one takes over from it. */
  readonly begunAt: Date;
  /** What earlier tries marked; null for nothing. */
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
  receipt: Receipt | undefined,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  if (receipt?.progress) return undefined;
  const result = await work();
  await mark(transaction, receipt, {});
  return result;
}

const MARK = `
  UPDATE idempotency_keys SET progress = $4::jsonb
   WHERE account_id = $1 AND key = $2 AND begun_at = $3::timestamptz AND status IS NULL`;

/**
 * Writes down what the transaction has done, as its last statement: both are there, or neither. A repeat that takes over
 * before finds no mark, and this one none to write; one that comes after waits for the row, and reads the mark.
 *
 * @throws Superseded, for the transaction to be rolled back.
 */
export async function mark(transaction: Transaction, receipt: Receipt | undefined, progress: object): Promise<void> {
  if (!receipt) return;
  const { accountId, key, begunAt } = receipt;
  const values = [accountId, key, begunAt.toISOString(), JSON.stringify(progress)];
  const marked =
    '$executeRawUnsafe' in transaction
      ? await transaction.$executeRawUnsafe(MARK, ...values)
      : (await transaction.query(MARK, values)).rowCount;
  if (marked !== 1) throw new Superseded('A repeat of this request has taken over.');
}

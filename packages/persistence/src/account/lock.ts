import { PLANS, type Plan, type PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';

/**
 * Runs work in a transaction that holds the account's row, when the account's turn has come, so that what the plan limits
 * is counted and added by one request at a time. The lock leaves room for the foreign keys of others.
 *
 * Whoever also locks artists does so after the account.
 *
 * @param work gets the limits of the plan of the account.
 * @param once of the keyed request that asks for the work: keeps the answer to its result.
 * @throws NotFound when there is no such account, GateFull.
 */
export function withAccountLocked<Result>(
  database: Database,
  accountId: AccountId,
  work: (transaction: Prisma.TransactionClient, limits: Plan) => Promise<Result>,
  once?: Once<Result>,
): Promise<Result> {
  return database.turns.run(accountId, async () =>
    (await database.prisma()).$transaction(async (transaction) => {
      const [account] = await transaction.$queryRaw<{ plan: PlanName }[]>`
        SELECT plan::text AS plan FROM accounts WHERE id = ${accountId} AND deleted_at IS NULL FOR NO KEY UPDATE`;
      if (!account) throw new NotFound('account');
      await once?.begin(transaction);
      const result = await work(transaction, PLANS[account.plan]);
      await once?.keep(transaction, result);
      return result;
    }),
  );
}

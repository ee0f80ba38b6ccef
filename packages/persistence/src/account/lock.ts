import { PLANS, type Plan, type PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';

/**
 * Runs work while the account's row is locked. To avoid deadlocks, lock the account before artists.
 * @param once stores the response for an Idempotency-Key.
 * @throws NotFound (account), GateFull.
 */
export function withAccountLocked<Result>(
  database: Database,
  accountId: AccountId,
  work: (transaction: Prisma.TransactionClient, limits: Plan) => Promise<Result>,
  once?: Once<Result>,
): Promise<Result> {
  return database.perAccount.run(accountId, async () =>
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

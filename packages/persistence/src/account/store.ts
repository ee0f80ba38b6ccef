import { PLANS, type Plan, type PlanName, planTitle } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Account, Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';

export interface AccountRecord {
  readonly id: AccountId;
  readonly name: string;
  readonly plan: PlanName;
  readonly createdAt: Date;
}

export function accountStore(database: Database) {
  return {
    async create(request: Omit<AccountRecord, 'createdAt'> & { readonly now: Date }): Promise<AccountRecord> {
      const { id, name, plan, now } = request;
      return toRecord(await (await database.prisma()).account.create({ data: { id, name, plan, createdAt: now } }));
    },

    /** Returns undefined if the account does not exist or is being deleted. */
    async find(id: AccountId): Promise<AccountRecord | undefined> {
      const row = await (await database.prisma()).account.findUnique({ where: { id, deletedAt: null } });
      return row ? toRecord(row) : undefined;
    },

    /** Oldest first. */
    async list(page: { readonly after?: AccountId | undefined; readonly limit: number }): Promise<AccountRecord[]> {
      const { after, limit } = page;
      const rows = await (await database.prisma()).account.findMany({
        where: { deletedAt: null, ...(after !== undefined && { id: { gt: after } }) },
        orderBy: { id: 'asc' },
        take: limit,
      });
      return rows.map(toRecord);
    },

    /**
     * Resources above the new limits are kept, but no more can be added.
     * @throws NotFound
     */
    setPlan(request: { readonly id: AccountId; readonly plan: PlanName; readonly now: Date }): Promise<AccountRecord> {
      const { id, plan, now } = request;
      return withAccountLocked(database, id, async (transaction) => {
        const row = await transaction.account.update({ where: { id }, data: { plan } });
        // Locks destinations in the same order as a settlement, to avoid deadlocks.
        const { destinations, chatDestinations } = PLANS[plan];
        await transaction.$executeRaw`
          WITH locked AS (
            SELECT t.id, needed.plan_required, needed.of_kind FROM destinations t
             CROSS JOIN LATERAL (SELECT CASE WHEN t.kind = 'webhook' THEN ${destinations === 0}::bool ELSE ${chatDestinations === 0}::bool END AS plan_required,
                                        CASE WHEN t.kind = 'webhook' THEN 'webhook ' ELSE 'Slack and Discord ' END AS of_kind) AS needed
             WHERE t.account_id = ${id} AND t.plan_required <> needed.plan_required
             ORDER BY t.id FOR NO KEY UPDATE OF t
          ), changed AS (
            UPDATE destinations t SET plan_required = locked.plan_required FROM locked WHERE t.id = locked.id
            RETURNING t.id, t.consecutive_failures, t.deleted_at, locked.plan_required, locked.of_kind)
          INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason)
          SELECT new_id('ntc', ${now}), id,
                 CASE WHEN plan_required THEN 'paused_by_plan' ELSE 'resumed_by_plan' END::notice_kind, ${now},
                 consecutive_failures,
                 ${`The ${planTitle(plan)} plan `} || CASE WHEN plan_required THEN 'does not include ' ELSE 'includes ' END || of_kind || 'destinations'
            FROM changed WHERE deleted_at IS NULL`;
        // A shorter polling interval applies immediately. Locks artists in the same order as known-artists.ts does.
        await transaction.$executeRaw`
          WITH watched AS (
            SELECT a.id, greatest(${now}, a.last_polled_at + ${PLANS[plan].pollIntervalMs} * interval '1 millisecond') AS due
              FROM artists a JOIN watches w ON w.artist_id = a.id
             WHERE w.account_id = ${id} AND a.incomplete_polls = 0
               AND a.next_poll_at > greatest(${now}, a.last_polled_at + ${PLANS[plan].pollIntervalMs} * interval '1 millisecond')
             ORDER BY a.platform_id COLLATE "C"
               FOR NO KEY UPDATE OF a)
          UPDATE artists SET next_poll_at = watched.due FROM watched WHERE artists.id = watched.id`;
        return toRecord(row);
      });
    },
  };
}

function toRecord({ id, name, plan, createdAt }: Account): AccountRecord {
  return { id: id as AccountId, name, plan, createdAt };
}

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

import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import type { Account } from '../generated/prisma/client.js';
import { withAccountLocked } from './lock.js';

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

    /** Undefined for one that is being deleted, too. */
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
     * Puts the account on another plan. What it has beyond the limits of a smaller plan stays, and nothing can be added
     * until it is below them; destinations of kinds that it does not have get no new deliveries, and none that waits is sent: it
     * is skipped when its time comes, by the next sweep at the latest.
     *
     * @throws NotFound
     */
    setPlan(request: { readonly id: AccountId; readonly plan: PlanName; readonly now: Date }): Promise<AccountRecord> {
      const { id, plan, now } = request;
      return withAccountLocked(database, id, async (transaction) => {
        const row = await transaction.account.update({ where: { id }, data: { plan } });
        // In the order of the settlement, or one of the two would wait for the other in a circle.
        const { destinations, chatDestinations } = PLANS[plan];
        await transaction.$executeRaw`
          WITH held AS (
            SELECT t.id, needed.plan_required, needed.of_kind FROM destinations t
             CROSS JOIN LATERAL (SELECT CASE WHEN t.kind = 'webhook' THEN ${destinations === 0}::bool ELSE ${chatDestinations === 0}::bool END AS plan_required,
                                        CASE WHEN t.kind = 'webhook' THEN 'webhook ' ELSE 'Slack and Discord ' END AS of_kind) AS needed
             WHERE t.account_id = ${id} AND t.plan_required <> needed.plan_required
             ORDER BY t.id FOR NO KEY UPDATE OF t
          ), changed AS (
            UPDATE destinations t SET plan_required = held.plan_required FROM held WHERE t.id = held.id
            RETURNING t.id, t.consecutive_failures, t.deleted_at, held.plan_required, held.of_kind)
          INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason)
          SELECT new_id('ntc', ${now}), id,
                 CASE WHEN plan_required THEN 'paused_by_plan' ELSE 'resumed_by_plan' END::notice_kind, ${now},
                 consecutive_failures,
                 ${`The plan ${plan} `} || CASE WHEN plan_required THEN 'has no ' ELSE 'has ' END || of_kind || 'destinations'
            FROM changed WHERE deleted_at IS NULL`;
        // A faster plan is felt at once, not after the pause that the slower one had set. Artists are locked in the
        // order of known-artists.ts; one that the platform gives trouble with keeps the pause that it was given.
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

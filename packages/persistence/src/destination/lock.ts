import type { ShownNotice } from '@artist-watch/contracts/api/destination';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound, PlanRequired } from '@artist-watch/domain/refusals';
import { type AuditEvent, recordAudit } from '../account/audit.js';
import type { Database } from '../database/database.js';
import type { Destination, Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { type DestinationRecord, type DestinationReference, readDestination } from './reads.js';

/**
 * SQL that locks destinations in id order, to avoid deadlocks. If `enable_sort` is off, `t.id IN (…)` would scan the
 * whole index.
 * @param ids SQL query that returns the ids in column `id`
 */
export function lockDestinations(ids: string, columns: string, lock: 'FOR SHARE' | 'FOR NO KEY UPDATE'): string {
  return `SELECT locked.* FROM (SELECT DISTINCT id FROM (${ids}) wanted ORDER BY id OFFSET 0) ids
     CROSS JOIN LATERAL (SELECT ${columns} FROM destinations t WHERE t.id = ids.id ${lock}) locked`;
}

interface Done extends Pick<AuditEvent, 'details'> {
  readonly what: 'changed' | 'deleted' | ShownNotice['kind'];
  readonly reason?: string;
}

/**
 * Runs work while the destination's row is locked. Settlement takes the same lock.
 * @param work returns undefined if it changed nothing.
 * @param once stores the updated destination for an Idempotency-Key.
 * @throws NotFound, PlanRequired (unless `allowPaused` is true), GateFull.
 */
export async function withDestinationLocked(
  database: Database,
  {
    id,
    accountId,
    by: actor = OPERATOR,
    allowPaused = false,
    now,
  }: DestinationReference & { readonly allowPaused?: boolean; readonly now: Date },
  once: Once<DestinationRecord> | undefined,
  work: (transaction: Prisma.TransactionClient, destination: Destination) => Promise<Done | undefined>,
): Promise<void> {
  await database.perAccount.run(accountId ?? id, async () =>
    (await database.prisma()).$transaction(async (transaction) => {
      await transaction.$queryRaw`
        SELECT 1 FROM destinations
         WHERE id = ${id} AND deleted_at IS NULL AND (${accountId ?? null}::text IS NULL OR account_id = ${accountId ?? null})
           FOR NO KEY UPDATE`;
      const destination = await transaction.destination.findFirst({
        where: { id, deletedAt: null, ...(accountId === undefined ? {} : { accountId }) },
      });
      if (!destination) throw new NotFound('destination');
      if (destination.planRequired && accountId !== undefined && !allowPaused) throw new PlanRequired('Destinations');
      await once?.begin(transaction);
      const done = await work(transaction, destination);
      if (done) {
        const { what, reason, details = {} } = done;
        const event = {
          accountId: destination.accountId as AccountId,
          actor,
          action: `destination.${what}`,
          details,
          now,
        };
        await recordAudit(transaction, { ...event, subject: { id, name: destination.name ?? destination.url } });
        if (reason !== undefined) {
          await transaction.$executeRaw`
            INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason)
            VALUES (new_id('ntc', ${now}), ${id}, ${what}::notice_kind, ${now}, ${destination.consecutiveFailures},
                    ${reason})`;
        }
      }
      await once?.keep(transaction, await readDestination(transaction, { id }));
    }),
  );
}

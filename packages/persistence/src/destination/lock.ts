import type { ShownNotice } from '@artist-watch/contracts/api/destination';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound, PlanRequired } from '@artist-watch/domain/refusals';
import { type AuditEvent, recordAudit } from '../account/audit.js';
import type { Database } from '../database/database.js';
import type { Destination, Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { readDestination } from './reads.js';
import type { DestinationRecord, DestinationReference } from './record.js';

/** What was done, for the audit. */
interface Done extends Pick<AuditEvent, 'details'> {
  readonly what: 'changed' | 'deleted' | ShownNotice['kind'];
  /** With a reason, the account gets a notice of it on the destination's own record. */
  readonly reason?: string;
}

/**
 * Runs work in a transaction that holds the destination's row, when the turn of its account has come, as the settlement
 * of attempts does while it counts failures: who switches it, and who counts, take turns. A row of another account is not
 * locked.
 *
 * @param work says what it did; nothing where nothing had to be done.
 * @param once of the keyed request that asks for it: keeps its answer, from the destination as it is then.
 * @throws NotFound when it does not exist, was deleted, or belongs to another account; PlanRequired for a customer whose
 *   plan has none of its kind, unless `evenPaused`; GateFull.
 */
export async function withDestinationLocked(
  database: Database,
  {
    id,
    accountId,
    by: actor = OPERATOR,
    evenPaused = false,
    now,
  }: DestinationReference & { readonly evenPaused?: boolean; readonly now: Date },
  once: Once<DestinationRecord> | undefined,
  work: (transaction: Prisma.TransactionClient, destination: Destination) => Promise<Done | undefined>,
): Promise<void> {
  await database.turns.run(accountId ?? id, async () =>
    (await database.prisma()).$transaction(async (transaction) => {
      await transaction.$queryRaw`
        SELECT 1 FROM destinations
         WHERE id = ${id} AND deleted_at IS NULL AND (${accountId ?? null}::text IS NULL OR account_id = ${accountId ?? null})
           FOR NO KEY UPDATE`;
      const destination = await transaction.destination.findFirst({
        where: { id, deletedAt: null, ...(accountId === undefined ? {} : { accountId }) },
      });
      if (!destination) throw new NotFound('destination');
      if (destination.planRequired && accountId !== undefined && !evenPaused) throw new PlanRequired('Destinations');
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

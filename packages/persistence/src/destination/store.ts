import { PLANS, type Plan, type PlanName } from '@artist-watch/domain/account/plans';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { PlanLimitReached, PlanRequired } from '@artist-watch/domain/refusals';
import { withAccountLocked } from '../account/lock.js';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import { doneOnce, type Receipt } from '../idempotency-receipt.js';
import type { SecretBox } from '../secret-box.js';
import { withDestinationLocked } from './lock.js';
import { readDestination, readDestinations } from './reads.js';
import type { DestinationRecord, DestinationReference } from './record.js';
import { skipPending } from './skips.js';

export interface NewDestination {
  readonly id: DestinationId;
  readonly accountId: AccountId;
  readonly name?: string | null;
  /** Checked already with the rules of the egress (`@artist-watch/address-policy`). */
  readonly url: string;
  /** The signing secret; null for unsigned. */
  readonly secret: string | null;
  readonly rules: DestinationRules;
  readonly now: Date;
}

export interface DestinationStore {
  /**
   * With an id that exists already, of a request that is made once more, it changes nothing.
   *
   * @throws NotFound (account), PlanRequired, PlanLimitReached
   */
  create(destination: NewDestination, receipt?: Receipt): Promise<DestinationRecord>;
  /**
   * Whether one more would be refused, for what is costly and comes before `create`, which decides.
   *
   * @throws PlanRequired, PlanLimitReached
   */
  requireRoom(accountId: AccountId, plan: PlanName): Promise<void>;
  /** @throws NotFound */
  show(reference: DestinationReference): Promise<DestinationRecord>;
  /** Newest first, without deleted ones. */
  list(accountId: AccountId): Promise<DestinationRecord[]>;
  /**
   * Changes the name, the address, or single rules; what is left out stays. Deliveries that wait for an attempt go to the new
   * address.
   *
   * @throws NotFound
   */
  update(
    reference: DestinationReference,
    changes: { readonly name?: string | null; readonly url?: string; readonly rules?: Partial<DestinationRules> },
  ): Promise<DestinationRecord>;
  /**
   * Nothing is sent from now on, and pending deliveries are skipped. Its deliveries can be read until they are pruned.
   *
   * @throws NotFound
   */
  delete(reference: DestinationReference, now: Date): Promise<void>;
}

export function destinationStore(database: Database, box: SecretBox): DestinationStore {
  return {
    async create({ id, accountId, name = null, url, secret, rules, now }, receipt) {
      await withAccountLocked(database, accountId, (transaction, { limits }) =>
        doneOnce(transaction, receipt, async () => {
          if ((await transaction.destination.count({ where: { id, accountId } })) > 0) return;
          await requireRoom(transaction, accountId, limits);
          await transaction.destination.create({
            data: {
              id,
              accountId,
              name,
              url,
              ...columnsOf(rules),
              sealedSecret: secret === null ? null : box.seal(secret, id),
              createdAt: now,
            },
          });
        }),
      );
      return readDestination(database.pool, { id, accountId });
    },

    requireRoom: (accountId, plan) => requireRoom(database.prisma, accountId, PLANS[plan]),

    show: (reference) => readDestination(database.pool, reference),

    list: (accountId) => readDestinations(database.pool, accountId),

    async update(reference, { name, url, rules = {} }) {
      await withDestinationLocked(database, reference, undefined, (transaction, { id }) =>
        transaction.destination.update({
          where: { id },
          data: { ...(name !== undefined && { name }), ...(url !== undefined && { url }), ...columnsOf(rules) },
        }),
      );
      return readDestination(database.pool, reference);
    },

    async delete(reference, now) {
      await withDestinationLocked(database, reference, undefined, (transaction, { id }) =>
        // The secrets go with it: nothing will be signed for it again.
        transaction.destination.update({
          where: { id },
          data: { deletedAt: now, sealedSecret: null, sealedNextSecret: null },
        }),
      );
      await skipPending(database.pool, reference.id);
    },
  };
}

async function requireRoom(client: Prisma.TransactionClient, accountId: AccountId, limits: Plan): Promise<void> {
  if (limits.destinations === 0) throw new PlanRequired('Destinations');
  const present = await client.destination.count({ where: { accountId, deletedAt: null } });
  if (present >= limits.destinations) throw new PlanLimitReached('destinations', limits.destinations);
}

function columnsOf({ minSeverity, changeTypes, artistIds }: Partial<DestinationRules>) {
  return {
    ...(minSeverity === undefined ? {} : { minSeverity }),
    ...(changeTypes === undefined ? {} : { changeTypes: [...changeTypes] }),
    ...(artistIds === undefined ? {} : { artistIds: [...artistIds] }),
  };
}

import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import { PLANS, type Plan, type PlanName } from '@artist-watch/domain/account/plans';
import {
  chatAddressProblem,
  type DestinationKind,
  destinationLimit,
  isChat,
  kindsOfSameLimit,
  readChatAddress,
} from '@artist-watch/domain/channel/destination-kind';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { PlanLimitReached, PlanRequired } from '@artist-watch/domain/refusals';
import { recordAudit } from '../account/audit.js';
import { withAccountLocked } from '../account/lock.js';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import type { SecretBox } from '../secret-box.js';
import { withDestinationLocked } from './lock.js';
import { readDestination, readDestinations } from './reads.js';
import type { DestinationRecord, DestinationReference } from './record.js';
import { skipPending } from './skip-undeliverable.js';

export interface NewDestination {
  readonly id: DestinationId;
  readonly accountId: AccountId;
  readonly name?: string | null;
  /** `webhook` unless given. */
  readonly kind?: DestinationKind;
  /** Checked already with the rules of the egress (`@artist-watch/address-policy`). */
  readonly url: string;
  /** The signing secret; null for unsigned, and for every channel. */
  readonly secret: string | null;
  readonly rules: DestinationRules;
  /** For the audit: the operator unless given. */
  readonly by?: Actor;
  readonly now: Date;
}

export type DestinationStore = ReturnType<typeof destinationStore>;

export function destinationStore(database: Database, box: SecretBox) {
  return {
    /**
     * With an id that exists already, of a form that is sent once more, it changes nothing.
     *
     * @throws NotFound (account), PlanRequired, PlanLimitReached
     */
    create(destination: NewDestination, once?: Once<DestinationRecord>): Promise<DestinationRecord> {
      const { id, accountId, name = null, kind = 'webhook', url, secret, rules, by = OPERATOR, now } = destination;
      const createUnlessThere = async (transaction: Prisma.TransactionClient, limits: Plan) => {
        if ((await transaction.destination.count({ where: { id, accountId } })) > 0) {
          return readDestination(transaction, { id, accountId });
        }
        await requireRoom(transaction, accountId, limits, kind);
        const made = await transaction.destination.create({
          data: {
            id,
            accountId,
            name,
            kind,
            sealedSecret: secret === null ? null : box.seal(secret, id),
            ...addressColumns(box, id, kind, url),
            ...columnsOf(rules),
            createdAt: now,
          },
        });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'destination.created', now },
          subject: { id, name: name ?? made.url },
          details: { kind },
        });
        return readDestination(transaction, { id, accountId });
      };
      return withAccountLocked(database, accountId, createUnlessThere, once);
    },

    /**
     * Whether one more would be refused, for what is costly and comes before `create`, which decides.
     *
     * @throws PlanRequired, PlanLimitReached
     */
    requireRoom: async (accountId: AccountId, plan: PlanName, kind: DestinationKind = 'webhook'): Promise<void> =>
      requireRoom(await database.prisma(), accountId, PLANS[plan], kind),

    /** @throws NotFound */
    show: (reference: DestinationReference): Promise<DestinationRecord> => readDestination(database.pool, reference),

    /** Newest first, without deleted ones. */
    list: (accountId: AccountId): Promise<DestinationRecord[]> => readDestinations(database, accountId),

    /**
     * Changes the name, the address, or single rules; what is left out stays. Deliveries that wait for an attempt go to the new
     * address.
     *
     * @throws NotFound
     */
    async update(
      reference: DestinationReference,
      changes: { readonly name?: string | null; readonly url?: string; readonly rules?: Partial<DestinationRules> },
      now: Date,
    ): Promise<DestinationRecord> {
      const { name, url, rules = {} } = changes;
      await withDestinationLocked(database, { ...reference, now }, undefined, async (transaction, { id, kind }) => {
        await transaction.destination.update({
          where: { id },
          data: {
            ...(name !== undefined && { name }),
            ...(url !== undefined && addressColumns(box, id, kind, url)),
            ...columnsOf(rules),
          },
        });
        const parts = { name: name !== undefined, address: url !== undefined, rules: Object.keys(rules).length > 0 };
        const changed = Object.entries(parts).flatMap(([part, isMeant]) => (isMeant ? part : []));
        return { what: 'changed', details: { changed: changed.join(', ') } };
      });
      return readDestination(database.pool, reference);
    },

    /**
     * Nothing is sent from now on, and pending deliveries are skipped. Its deliveries can be read until they are pruned.
     *
     * @throws NotFound
     */
    async delete(reference: DestinationReference, now: Date): Promise<void> {
      const even = { ...reference, evenPaused: true, now };
      await withDestinationLocked(database, even, undefined, async (transaction, { id }) => {
        // The secrets go with it: nothing will be signed for it again.
        await transaction.destination.update({
          where: { id },
          data: { deletedAt: now, sealedSecret: null, sealedNextSecret: null },
        });
        return { what: 'deleted' };
      });
      await skipPending(database.pool, reference.id);
    },
  };
}

async function requireRoom(
  client: Prisma.TransactionClient,
  accountId: AccountId,
  plan: Plan,
  kind: DestinationKind,
): Promise<void> {
  const limit = destinationLimit(kind, plan);
  if (limit === 0) throw new PlanRequired('Destinations');
  const present = await client.destination.count({
    where: { accountId, kind: { in: [...kindsOfSameLimit(kind)] }, deletedAt: null },
  });
  if (present >= limit) throw new PlanLimitReached(isChat(kind) ? 'Slack and Discord channels' : 'webhooks', limit);
}

function columnsOf({ minSeverity, changeTypes, artistIds }: Partial<DestinationRules>) {
  return {
    ...(minSeverity === undefined ? {} : { minSeverity }),
    ...(changeTypes === undefined ? {} : { changeTypes: [...changeTypes] }),
    ...(artistIds === undefined ? {} : { artistIds: [...artistIds] }),
  };
}

/**
 * The columns that hold an address. That of a channel is a secret: `url` holds what may be shown of it, and the sealed
 * secret, which signs webhooks, is here where messages are posted.
 *
 * @throws {TypeError} for what has not the form of the kind, which is checked before.
 */
function addressColumns(box: SecretBox, id: string, kind: DestinationKind, url: string) {
  if (!isChat(kind)) return { url };
  const address = readChatAddress(kind, url);
  if (!address) throw new TypeError(chatAddressProblem(kind));
  return { url: address.shownUrl, sealedSecret: box.seal(address.requestUrl, id) };
}

import { isDeepStrictEqual } from 'node:util';
import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import type { Plan } from '@artist-watch/domain/account/plans';
import {
  chatAddressProblem,
  type DestinationKind,
  destinationLimit,
  isChat,
  kindsOfSameLimit,
  readChatAddress,
} from '@artist-watch/domain/channel/destination-kind';
import type { CustomHeader } from '@artist-watch/domain/delivery/custom-headers';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { Conflict, PlanLimitReached, PlanRequired } from '@artist-watch/domain/refusals';
import { recordAudit } from '../account/audit.js';
import { withAccountLocked } from '../account/lock.js';
import type { Database } from '../database/database.js';
import type { Destination, Prisma } from '../generated/prisma/client.js';
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
  /** Default: `webhook`. */
  readonly kind?: DestinationKind;
  /** The caller has already checked the URL (`@artist-watch/address-policy`). */
  readonly url: string;
  readonly secret: string | null;
  /** Adds the Standard Webhooks headers. Not allowed for chat channels. Default: false. */
  readonly standardWebhooks?: boolean;
  /** Only for webhooks. */
  readonly headers?: readonly CustomHeader[];
  readonly rules: DestinationRules;
  /** Default: the operator. */
  readonly by?: Actor;
  readonly now: Date;
}

export type DestinationStore = ReturnType<typeof destinationStore>;

export function destinationStore(database: Database, box: SecretBox) {
  return {
    /**
     * Changes nothing if the id already exists.
     * @throws NotFound (account), PlanRequired, PlanLimitReached, Conflict (a webhook option on a chat channel)
     */
    create(destination: NewDestination, once?: Once<DestinationRecord>): Promise<DestinationRecord> {
      const { id, accountId, name = null, kind = 'webhook', url, secret, rules, by = OPERATOR, now } = destination;
      const { standardWebhooks = false, headers = [] } = destination;
      const createOnce = async (transaction: Prisma.TransactionClient, limits: Plan) => {
        if ((await transaction.destination.count({ where: { id, accountId } })) > 0) {
          return readDestination(transaction, { id, accountId });
        }
        await requireRoom(transaction, accountId, limits, kind);
        const created = await transaction.destination.create({
          data: {
            id,
            accountId,
            name,
            kind,
            sealedSecret: secret === null ? null : box.seal(secret, id),
            ...addressColumns(box, id, kind, url),
            ...webhookColumns(box, { id, kind }, { standardWebhooks, headers }),
            ...ruleColumns(rules),
            createdAt: now,
          },
        });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'destination.created', now },
          subject: { id, name: name ?? created.url },
          details: { kind },
        });
        return readDestination(transaction, { id, accountId });
      };
      return withAccountLocked(database, accountId, createOnce, once);
    },

    /**
     * Throws if the plan doesn't allow any more destinations. Call this before expensive steps. `create` checks again.
     * @throws PlanRequired, PlanLimitReached
     */

    /** @throws NotFound */
    show: (reference: DestinationReference): Promise<DestinationRecord> => readDestination(database.pool, reference),

    list: (accountId: AccountId): Promise<DestinationRecord[]> => readDestinations(database, accountId),

    /**
     * Omitted fields stay unchanged. Pending deliveries are sent to the new URL.
     * @throws NotFound, Conflict (a webhook option on a chat channel, or a new host without new headers)
     */
    async update(
      reference: DestinationReference,
      changes: {
        readonly name?: string | null;
        readonly url?: string;
        readonly standardWebhooks?: boolean | undefined;
        /** Replaces all headers. */
        readonly headers?: readonly CustomHeader[] | undefined;
        readonly rules?: Partial<DestinationRules>;
      },
      now: Date,
    ): Promise<DestinationRecord> {
      const { name, url, standardWebhooks, headers, rules = {} } = changes;
      await withDestinationLocked(database, { ...reference, now }, undefined, async (transaction, destination) => {
        const { id, kind } = destination;
        if (url !== undefined && headers === undefined) requireSameOrigin(destination, url);
        const columns = ruleColumns(rules);
        const parts = {
          name: name !== undefined && name !== destination.name,
          // A chat channel's stored URL does not contain the secret, so a new URL always counts as a change.
          address: url !== undefined && (isChat(kind) || url !== destination.url),
          headers: headers !== undefined && headers.length + destination.headerNames.length > 0,
          'Standard Webhooks headers':
            (standardWebhooks ?? destination.standardWebhooks) !== destination.standardWebhooks,
          rules: !isDeepStrictEqual({ ...destination, ...columns }, destination),
        };
        const changed = Object.entries(parts).flatMap(([part, isChanged]) => (isChanged ? part : []));
        await transaction.destination.update({
          where: { id },
          data: {
            ...(name !== undefined && { name }),
            ...(url !== undefined && addressColumns(box, id, kind, url)),
            ...webhookColumns(box, { id, kind }, { standardWebhooks, headers }),
            ...columns,
          },
        });
        return changed.length === 0 ? undefined : { what: 'changed', details: { changed: changed.join(', ') } };
      });
      return readDestination(database.pool, reference);
    },

    /**
     * Deletes a destination and skips its pending deliveries.
     * @throws NotFound
     */
    async delete(reference: DestinationReference, now: Date): Promise<void> {
      const target = { ...reference, allowPaused: true, now };
      await withDestinationLocked(database, target, undefined, async (transaction, { id }) => {
        // Delete the secrets too, because nothing will be sent to this destination again.
        await transaction.destination.update({
          where: { id },
          data: { deletedAt: now, sealedSecret: null, sealedNextSecret: null, sealedHeaders: null },
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
  const existing = await client.destination.count({
    where: { accountId, kind: { in: [...kindsOfSameLimit(kind)] }, deletedAt: null },
  });
  if (existing >= limit) throw new PlanLimitReached(isChat(kind) ? 'Slack and Discord channels' : 'webhooks', limit);
}

function ruleColumns({ minSeverity, changeTypes, artistIds, groupIds }: Partial<DestinationRules>) {
  return {
    ...(minSeverity === undefined ? {} : { minSeverity }),
    ...(changeTypes === undefined ? {} : { changeTypes: [...changeTypes] }),
    ...(artistIds === undefined ? {} : { artistIds: [...artistIds] }),
    ...(groupIds === undefined ? {} : { groupIds: [...groupIds] }),
  };
}

/**
 * Customers cannot read stored headers, so a new server must not receive them.
 * @throws Conflict
 */
function requireSameOrigin({ url, headerNames }: Destination, newUrl: string): void {
  if (headerNames.length === 0 || new URL(newUrl).origin === new URL(url).origin) return;
  throw new Conflict(
    'This destination has custom headers, and the new URL has a different scheme, host or port. Send all headers again with the new URL, or [] to remove them.',
  );
}

interface WebhookOptions {
  readonly standardWebhooks?: boolean | undefined;
  readonly headers?: readonly CustomHeader[] | undefined;
}

/** @throws Conflict for a chat channel, because its platform defines the request format. */
function webhookColumns(
  box: SecretBox,
  { id, kind }: { readonly id: string; readonly kind: DestinationKind },
  { standardWebhooks, headers }: WebhookOptions,
) {
  if (isChat(kind) && (standardWebhooks || (headers && headers.length > 0))) {
    throw new Conflict("Slack and Discord channels don't support custom headers or Standard Webhooks.");
  }
  return {
    ...(standardWebhooks !== undefined && { standardWebhooks }),
    ...(headers && {
      headerNames: headers.map(({ name }) => name),
      sealedHeaders: headers.length === 0 ? null : box.seal(JSON.stringify(headers), id),
    }),
  };
}

/**
 * A chat channel's URL is secret, so `url` only contains the part that can be shown.
 * @throws {TypeError} if the URL is not valid for this kind. Callers check this first.
 */
function addressColumns(box: SecretBox, id: string, kind: DestinationKind, url: string) {
  if (!isChat(kind)) return { url };
  const address = readChatAddress(kind, url);
  if (!address) throw new TypeError(chatAddressProblem(kind));
  return { url: address.shownUrl, sealedSecret: box.seal(address.requestUrl, id) };
}

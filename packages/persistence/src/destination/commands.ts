import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Cidr } from '@artist-watch/address-policy/ip-address';
import { judgeDestination } from '@artist-watch/address-policy/judge-destination';
import { invalidParam } from '@artist-watch/contracts/api/errors';
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
import { SWITCHED_OFF_BY_REQUEST } from '@artist-watch/domain/delivery/delivery-state';
import { ALLOW_ALL, type DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import {
  type CustomHeader,
  makeSigningSecret,
  SIGNING_SECRET_RANDOM_BYTES,
} from '@artist-watch/domain/delivery/webhook-options';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { Conflict, PlanLimitReached, PlanRequired } from '@artist-watch/domain/refusals';
import { newId } from '@artist-watch/runtime/ids';
import { recordAudit } from '../account/audit.js';
import { withAccountLocked } from '../account/store.js';
import type { Database, Statements } from '../database/database.js';
import type { Destination, Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import type { SecretBox } from '../secret-box.js';
import { withDestinationLocked } from './lock.js';
import { type DestinationRecord, type DestinationReference, readDestination } from './reads.js';
import { COUNTED_IN_FLIGHT, skipLatest, skipPending } from './skip-undeliverable.js';

export interface NewDestination {
  /** Default: a new id. */
  readonly id?: DestinationId;
  readonly accountId: AccountId;
  readonly name?: string | null | undefined;
  /** Default: `webhook`. */
  readonly kind?: DestinationKind;
  readonly url: string;
  /** `generate` creates a secret. Null for unsigned webhooks. Ignored for chat channels. */
  readonly secret: string | null;
  /** Adds the Standard Webhooks headers. Not allowed for chat channels. Default: false. */
  readonly standardWebhooks?: boolean | undefined;
  /** Only for webhooks. */
  readonly headers?: readonly CustomHeader[] | undefined;
  /** Omitted rules allow everything. */
  readonly rules: Partial<DestinationRules>;
  /** Default: the operator. */
  readonly by?: Actor;
  readonly now: Date;
}

export interface CreatedDestination extends DestinationRecord {
  /** Null if the destination is unsigned or already existed. */
  readonly secret: string | null;
}

export interface RotatedDestination extends DestinationRecord {
  readonly nextSecret: string;
}

export type DestinationCommands = ReturnType<typeof destinationCommands>;

/** @param allowCidrs `EGRESS_ALLOW_CIDRS`, needed to create and update destinations. */
export function destinationCommands(database: Database, box: SecretBox, allowCidrs: readonly Cidr[] = []) {
  /** @throws ApiError `invalid_input` if the egress proxy would refuse to connect to the URL */
  function requireAllowedUrl(url: string, kind: DestinationKind): void {
    const judgement = judgeDestination(url, { kind, allowCidrs });
    if (!judgement.ok) throw invalidParam('invalid_input', 'url', judgement.message);
  }

  return {
    /**
     * Changes nothing if the id already exists.
     * @throws ApiError `invalid_input` (the URL), NotFound (account), PlanRequired, PlanLimitReached, Conflict (a webhook
     * option on a chat channel)
     */
    async create(destination: NewDestination, once?: Once<CreatedDestination>): Promise<CreatedDestination> {
      const { accountId, name = null, kind = 'webhook', url, rules, by = OPERATOR, now } = destination;
      const { id = newId('dst', now), standardWebhooks = false, headers = [] } = destination;
      requireAllowedUrl(url, kind);
      const wanted = isChat(kind) ? null : destination.secret;
      const secret = wanted === 'generate' ? newSigningSecret() : wanted;
      const createOnce = async (transaction: Prisma.TransactionClient, limits: Plan) => {
        if ((await transaction.destination.count({ where: { id, accountId } })) > 0) {
          return { ...(await readDestination(transaction, { id, accountId })), secret: null };
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
            ...ruleColumns({ ...ALLOW_ALL, ...rules }),
            createdAt: now,
          },
        });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'destination.created', now },
          subject: { id, name: name ?? created.url },
          details: { kind },
        });
        return { ...(await readDestination(transaction, { id, accountId })), secret };
      };
      return withAccountLocked(database, accountId, createOnce, once);
    },

    /**
     * Omitted fields stay unchanged. Pending deliveries are sent to the new URL.
     * @throws ApiError `invalid_input` (the URL), NotFound, Conflict (a webhook option on a chat channel, or a new host
     * without new headers)
     */
    async update(
      reference: DestinationReference,
      changes: {
        readonly name?: string | null | undefined;
        readonly url?: string | undefined;
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
        if (url !== undefined) requireAllowedUrl(url, kind);
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

    /**
     * Enables a destination and resets its failure count. Old pending deliveries are skipped
     * (docs/api/webhooks.md).
     * @throws NotFound
     */
    async enable(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      await readDestination(database.pool, reference);
      await skipPending(database.pool, reference.id);
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        if (destination.state === 'active' && destination.consecutiveFailures === 0) return undefined;
        if (destination.state === 'off') await skipLatest(transaction, reference.id);
        await transaction.destination.update({
          where: { id: destination.id },
          data: {
            state: 'active',
            consecutiveFailures: 0,
            switchedOffAt: null,
            switchedOffReason: null,
            paceMs: null,
            pacedUntil: null,
          },
        });
        // Skipping deliveries in flight may have left the counter too high.
        await transaction.$executeRawUnsafe(
          `UPDATE destinations t SET in_flight = ${COUNTED_IN_FLIGHT} WHERE t.id = $1`,
          destination.id,
        );
        return { what: 'enabled', reason: 'Enabled' };
      });
      return readDestination(database.pool, reference);
    },

    /**
     * Disables a destination and skips its pending deliveries.
     * @throws NotFound
     */
    async disable(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        if (destination.state === 'off') return undefined;
        await transaction.destination.update({
          where: { id: destination.id },
          data: { state: 'off', switchedOffAt: now, switchedOffReason: SWITCHED_OFF_BY_REQUEST },
        });
        return { what: 'disabled', reason: SWITCHED_OFF_BY_REQUEST };
      });
      await skipPending(database.pool, reference.id);
      return readDestination(database.pool, reference);
    },

    /**
     * Stores a next secret, so that the customer can add it to the receiver before it becomes active.
     * @param replace discards a next secret that a receiver may already use.
     * @throws NotFound, Conflict if a next secret exists and `replace` is not set.
     */
    async rotate(
      reference: DestinationReference,
      { replace, now }: { readonly replace: boolean; readonly now: Date },
      once?: Once<RotatedDestination>,
    ): Promise<RotatedDestination> {
      const nextSecret = newSigningSecret();
      const keptOnce = once && {
        ...once,
        keep: (transaction: Statements, record: DestinationRecord) => once.keep(transaction, { ...record, nextSecret }),
      };
      await withDestinationLocked(database, { ...reference, now }, keptOnce, async (transaction, destination) => {
        requireSigning(destination);
        if (destination.sealedNextSecret !== null && !replace) {
          throw new Conflict(
            'This destination has a next secret that is not active yet. Activate it, or rotate with "replace" to discard it.',
          );
        }
        await transaction.destination.update({
          where: { id: destination.id },
          data: { sealedNextSecret: box.seal(nextSecret, destination.id) },
        });
        return { what: 'secret_rotated', reason: 'A new signing secret was created' };
      });
      return { ...(await readDestination(database.pool, reference)), nextSecret };
    },

    /**
     * Makes the next secret current. From then on, attempts are signed only with this secret.
     * @throws NotFound, Conflict if there is no next secret.
     */
    async activate(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        if (destination.sealedNextSecret === null) {
          throw new Conflict('This destination has no next secret. Rotate the secret first.');
        }
        await transaction.destination.update({
          where: { id: destination.id },
          data: { sealedSecret: destination.sealedNextSecret, sealedNextSecret: null },
        });
        return { what: 'secret_activated', reason: 'The new signing secret is active' };
      });
      return readDestination(database.pool, reference);
    },
  };
}

function newSigningSecret(): string {
  return makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES));
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

/** A chat channel's only secret is its URL. */
function requireSigning({ kind }: Destination): void {
  if (isChat(kind)) throw new Conflict('Slack and Discord channels have no signing secret.');
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

import { sampleChange } from '@artist-watch/contracts/change-examples';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import type { DetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanRequired, Refusal } from '@artist-watch/domain/refusals';
import { type AuditEvent, recordAudit } from '@artist-watch/persistence/account/audit';
import type { Database } from '@artist-watch/persistence/database/database';
import { inRetriedTransaction } from '@artist-watch/persistence/database/database-errors';
import type { DestinationReference } from '@artist-watch/persistence/destination/reads';
import { IS_UNDELIVERABLE } from '@artist-watch/persistence/destination/skip-undeliverable';
import type { Once } from '@artist-watch/persistence/idempotency-store';
import type pg from 'pg';
import {
  DELIVERY_COLUMNS,
  type DeliveryRecord,
  type DeliveryReference,
  type Selection,
  selectAll,
  selectPage,
  WAS_MISSED,
} from './record.js';

const RECOVERY_BATCH = 5_000;
/** A call must end before its HTTP request times out. */
const MAX_RECOVERED = 10_000;

interface Recovery {
  readonly afterId: string;
  readonly recovered: number;
  /**
   * Includes deliveries that a concurrent recovery sent first. Undefined if the progress was stored by an earlier
   * version.
   */
  readonly found?: number;
}

export interface Recovered {
  readonly recovered: number;
  /** Number of missed deliveries after `next`. */
  readonly remaining: number;
  /** To continue, pass this as `after`. Null if nothing remains. */
  readonly next: DeliveryId | null;
}

interface RecoveryRequest {
  /** Selects only deliveries with a greater id. Default: all. */
  readonly after?: DeliveryId | undefined;
  readonly now: Date;
}

export type DeliveryCommands = ReturnType<typeof deliveryCommands>;

/**
 * Pass `once` for a request with an Idempotency-Key.
 * @throws NotFound if the object does not exist, was deleted, or belongs to another account.
 * @throws PlanRequired if the account's plan no longer includes the destination.
 * @throws Conflict if the destination is off (never from `test`).
 */
export function deliveryCommands(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  { recoveryBatch = RECOVERY_BATCH, maxRecovered = MAX_RECOVERED } = {},
) {
  const serialized = <Result>(
    { id, accountId }: { readonly id: string; readonly accountId?: AccountId | undefined },
    work: (client: pg.PoolClient) => Promise<Result>,
  ) => perAccount.run(accountId ?? id, () => inRetriedTransaction(pool, work));
  return {
    /**
     * Sends a sample change once, even to a destination that is off. The attempt does not count as a success or failure.
     * @param test `changeType` is `release_added` by default.
     */
    async test(
      destination: DestinationReference,
      test: { deliveryId: DeliveryId; changeId: ChangeId; changeType?: DetectedChangeType | undefined; now: Date },
      once?: Once<never>,
    ): Promise<DeliveryRecord> {
      const { deliveryId, changeId, changeType, now } = test;
      const id = await serialized(destination, async (client) => {
        const earlier = (await once?.begin(client)) as { readonly deliveryId: DeliveryId } | null | undefined;
        if (earlier) return earlier.deliveryId;
        const { accountId, name } = await lockDestination(client, destination);
        await client.query(
          `INSERT INTO deliveries (id, account_id, destination_id, test_body, trigger, next_attempt_at, relay_at, created_at)
           VALUES ($1, $2, $3, $4, 'test', ${notAfterNow('$5')}, ${notAfterNow('$5')}, $5)`,
          [deliveryId, accountId, destination.id, webhookBody(sampleChange(changeId, now, changeType)), now],
        );
        await recordAudit(client, {
          ...{ accountId, actor: destination.by ?? OPERATOR, action: 'destination.tested', now },
          subject: { id: destination.id, name },
        });
        // The final response includes the attempt, so it cannot be stored yet.
        await once?.recordProgress(client, { deliveryId });
        return deliveryId;
      });
      return readDelivery(pool, { ...destination, id });
    },

    /**
     * Sends a settled delivery once. The attempt does not count as a success or failure.
     * @throws Conflict also if the delivery is pending.
     */
    resend: (delivery: DeliveryReference, now: Date, once?: Once<DeliveryRecord>): Promise<DeliveryRecord> =>
      serialized(delivery, async (client) => {
        await once?.begin(client);
        const destination = await lockActive(client, { ...delivery, id: await readDestinationId(client, delivery) });
        const { rows } = await client.query<DeliveryRecord>(
          `UPDATE deliveries d SET trigger = 'resend', ${newRound('$2')} WHERE id = $1 AND state <> 'pending'
           RETURNING ${DELIVERY_COLUMNS}`,
          [delivery.id, now],
        );
        if (!rows[0]) throw new Conflict('This delivery is already pending.');
        await recordAudit(client, {
          ...{ accountId: destination.accountId, actor: delivery.by ?? OPERATOR, action: 'delivery.resent', now },
          subject: { id: delivery.id, name: destination.name },
        });
        await once?.keep(client, rows[0]);
        return rows[0];
      }),

    /**
     * Resends the destination's skipped and failed deliveries from a time range, at most MAX_RECOVERED. After the first
     * batch, a refusal ends the recovery without an error.
     * @returns the number of recovered deliveries, including those from earlier attempts at the same request.
     */
    recover: (
      destination: DestinationReference,
      { now, after, ...range }: Pick<DeliveryFilter, 'since' | 'until'> & RecoveryRequest,
      once?: Once<Recovered>,
    ): Promise<Recovered> =>
      recoverInBatches(destination, { after, once }, async (client) => {
        const { accountId, name } = await lockActive(client, destination);
        const filter = { ...range, destinationId: destination.id };
        const subject = { id: destination.id, name };
        const event = { accountId, actor: destination.by ?? OPERATOR, action: 'destination.recovered', subject, now };
        return { selection: { accountId, filter, missed: true }, event };
      }),

    /**
     * Recovers an account's missed deliveries. Skips destinations that are off.
     * @param request `by` is the operator by default.
     * @throws Conflict if the filter names a destination that is off.
     */
    recoverMatching: (
      accountId: AccountId,
      { filter, by: actor = OPERATOR, now, after }: { filter: DeliveryFilter; by?: Actor } & RecoveryRequest,
      once?: Once<Recovered>,
    ): Promise<Recovered> =>
      recoverInBatches({ id: accountId, accountId }, { after, once }, async (client) => {
        const { destinationId: id } = filter;
        if (id !== undefined) await lockActive(client, { id, accountId });
        const destinationIds = await lockAllActive(client, accountId);
        const subject = { id: id ?? null, name: 'deliveries that match a filter' };
        const event = { accountId, actor, action: 'deliveries.recovered', subject, now };
        return { selection: { accountId, filter, missed: true, destinationIds }, event };
      }),
  };

  /**
   * @param prepare runs before each batch and checks that the destinations are still on, because failures in earlier
   * batches can switch them off.
   */
  async function recoverInBatches(
    owner: { readonly id: string; readonly accountId?: AccountId | undefined },
    { after = '', once }: { readonly after?: string | undefined; readonly once?: Once<Recovered> | undefined },
    prepare: (client: pg.PoolClient) => Promise<{ selection: Selection; event: Omit<AuditEvent, 'details'> }>,
  ): Promise<Recovered> {
    let recovery: Recovery = { afterId: after, recovered: 0 };
    for (;;) {
      try {
        const { next, result } = await serialized(owner, async (client) => {
          recovery = ((await once?.begin(client)) as Recovery | null | undefined) ?? recovery;
          const { afterId, recovered, found = 0 } = recovery;
          const limit = Math.min(recoveryBatch, maxRecovered - found);
          const { selection, event } = await prepare(client);
          const batch = await recoverBatch(client, selection, { afterId, limit, now: event.now });
          // Each batch is audited in its own transaction, so the audit log matches the work done.
          const details = { recovered: batch.recovered };
          if (batch.recovered > 0) await recordAudit(client, { ...event, details });
          const next = {
            afterId: batch.last_id ?? afterId,
            recovered: recovered + batch.recovered,
            found: found + batch.found,
          };
          const hasMore = batch.found === limit;
          if (hasMore && next.found < maxRecovered) {
            await once?.recordProgress(client, next);
            return { next };
          }
          const result = toResult(next, hasMore ? await countMissed(client, selection, next.afterId) : 0);
          await once?.keep(client, result);
          return { next, result };
        });
        recovery = next;
        if (result) return result;
      } catch (error) {
        // A later recovery can send the remaining deliveries.
        if (error instanceof Refusal && recovery.recovered > 0) return toResult(recovery, 0);
        throw error;
      }
    }
  }
}

function toResult({ recovered, afterId }: Recovery, remaining: number): Recovered {
  return { recovered, remaining, next: remaining > 0 ? (afterId as DeliveryId) : null };
}

async function countMissed(client: pg.PoolClient, selection: Selection, afterId: string): Promise<number> {
  const { where, values, parameter } = selectAll(selection);
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries d WHERE ${where} AND d.id > ${parameter(afterId)}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

async function recoverBatch(
  client: pg.PoolClient,
  selection: Selection,
  { afterId, limit, now }: { readonly afterId: string; readonly limit: number; readonly now: Date },
) {
  const found = selectPage({ ...selection, columns: 'd.id', order: 'oldest first', afterId, limit });
  const at = `$${found.values.length + 1}`;
  const { rows } = await client.query<{ found: number; last_id: string | null; recovered: number }>(
    `WITH found AS MATERIALIZED (${found.text}), missed AS (
       SELECT d.id FROM deliveries d WHERE d.id IN (SELECT id FROM found) AND ${WAS_MISSED} ORDER BY d.id
          FOR NO KEY UPDATE
     ), recovered AS (
       UPDATE deliveries SET trigger = 'recover', ${newRound(at)} FROM missed WHERE deliveries.id = missed.id
       RETURNING deliveries.id)
     SELECT (SELECT count(*) FROM found)::int AS found, (SELECT max(id) FROM found) AS last_id,
            (SELECT count(*) FROM recovered)::int AS recovered`,
    [...found.values, now],
  );
  return rows[0] as (typeof rows)[number];
}

/** Attempt numbers are not reset in the new round. */
function newRound(now: string): string {
  return `state = 'pending', round_start = attempt_count, next_attempt_at = ${notAfterNow(now)},
          relay_at = ${notAfterNow(now)}, settled_at = NULL, skipped_reason = NULL`;
}

/** A caller's fast clock must not delay the delivery. */
function notAfterNow(now: string): string {
  return `least(${now}::timestamptz, now())`;
}

async function readDestinationId(client: pg.PoolClient, { id, accountId }: DeliveryReference): Promise<DestinationId> {
  const { rows } = await client.query<{ destination_id: DestinationId }>(
    'SELECT destination_id FROM deliveries WHERE id = $1 AND ($2::text IS NULL OR account_id = $2)',
    [id, accountId ?? null],
  );
  if (!rows[0]) throw new NotFound('delivery');
  return rows[0].destination_id;
}

async function lockActive(client: pg.PoolClient, reference: DestinationReference) {
  const destination = await lockDestination(client, reference);
  if (destination.state === 'off') throw new Conflict('This destination is switched off. Enable it first.');
  return destination;
}

async function lockAllActive(client: pg.PoolClient, accountId: AccountId): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM destinations t WHERE account_id = $1 AND NOT ${IS_UNDELIVERABLE} ORDER BY id FOR SHARE`,
    [accountId],
  );
  return rows.map(({ id }) => id);
}

async function lockDestination(client: pg.PoolClient, { id, accountId }: DestinationReference) {
  const { rows } = await client.query<{
    accountId: AccountId;
    state: 'active' | 'off';
    planRequired: boolean;
    name: string;
  }>(
    `SELECT account_id AS "accountId", state, plan_required AS "planRequired", coalesce(name, url) AS name
       FROM destinations
      WHERE id = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR account_id = $2)
        FOR SHARE`,
    [id, accountId ?? null],
  );
  const [destination] = rows;
  if (!destination) throw new NotFound('destination');
  if (destination.planRequired) throw new PlanRequired('Destinations');
  return destination;
}

async function readDelivery(pool: pg.Pool, { id, accountId }: DeliveryReference): Promise<DeliveryRecord> {
  const { rows } = await pool.query<DeliveryRecord>(
    `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE id = $1 AND ($2::text IS NULL OR account_id = $2)`,
    [id, accountId ?? null],
  );
  if (!rows[0]) throw new NotFound('delivery');
  return rows[0];
}

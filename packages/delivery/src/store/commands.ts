import { sampleChange } from '@artist-watch/contracts/change-examples';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import type { DetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import type { AccountId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanRequired, Refusal } from '@artist-watch/domain/refusals';
import { recordAudit } from '@artist-watch/persistence/account/audit';
import type { Database } from '@artist-watch/persistence/database/database';
import { inRetriedTransaction } from '@artist-watch/persistence/database/database-errors';
import type { DestinationReference } from '@artist-watch/persistence/destination/record';
import { IS_UNDELIVERABLE } from '@artist-watch/persistence/destination/skip-undeliverable';
import type { Once } from '@artist-watch/persistence/idempotency-store';
import type pg from 'pg';
import { WAS_MISSED } from './conditions.js';
import { buildConditions, indexRanges, type Selection, selectPage } from './filter.js';
import { DELIVERY_COLUMNS, type DeliveryRecord, type DeliveryReference } from './record.js';

const RECOVERY_BATCH = 5_000;
/** A call must end before its HTTP request times out. */
export const MAX_RECOVERED = 10_000;

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

/**
 * Pass `once` for a request with an Idempotency-Key.
 * @throws NotFound if the object does not exist, was deleted, or belongs to another account.
 * @throws PlanRequired if the account's plan no longer includes the destination.
 * @throws Conflict if the destination is off (never from `test`).
 */
export interface DeliveryCommands {
  /**
   * Sends a sample change once, even to a destination that is off. The attempt does not count as a success or failure.
   */
  test(
    destination: DestinationReference,
    test: {
      readonly deliveryId: DeliveryId;
      readonly changeId: ChangeId;
      /** Default: `release_added`. */
      readonly changeType?: DetectedChangeType | undefined;
      readonly now: Date;
    },
    once?: Once<never>,
  ): Promise<DeliveryRecord>;
  /**
   * Sends a settled delivery once. The attempt does not count as a success or failure.
   * @throws Conflict also if the delivery is pending.
   */
  resend(delivery: DeliveryReference, now: Date, once?: Once<DeliveryRecord>): Promise<DeliveryRecord>;
  /**
   * Resends the destination's skipped and failed deliveries from a time range, at most MAX_RECOVERED. After the first
   * batch, a refusal ends the recovery without an error.
   * @returns the number of recovered deliveries, including those from earlier attempts at the same request.
   */
  recover(
    destination: DestinationReference,
    request: Pick<DeliveryFilter, 'since' | 'until'> & RecoveryRequest,
    once?: Once<Recovered>,
  ): Promise<Recovered>;
  /**
   * Recovers an account's missed deliveries. Skips destinations that are off.
   * @throws Conflict if the filter names a destination that is off.
   */
  recoverMatching(
    accountId: AccountId,
    request: {
      readonly filter: DeliveryFilter;
      /** Default: the operator. */
      readonly by?: Actor;
    } & RecoveryRequest,
    once?: Once<Recovered>,
  ): Promise<Recovered>;
}

export function deliveryCommands(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  { recoveryBatch = RECOVERY_BATCH, maxRecovered = MAX_RECOVERED } = {},
): DeliveryCommands {
  const serialized = <Result>(
    { id, accountId }: { readonly id: string; readonly accountId?: AccountId | undefined },
    work: (client: pg.PoolClient) => Promise<Result>,
  ) => perAccount.run(accountId ?? id, () => inRetriedTransaction(pool, work));
  return {
    async test(destination, { deliveryId, changeId, changeType, now }, once) {
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

    resend: (delivery, now, once) =>
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

    recover: (destination, { now, after, ...range }, once) =>
      recoverInBatches(destination, { after, once }, async (client, page) => {
        const { accountId, name } = await lockActive(client, destination);
        const filter = { ...range, destinationId: destination.id };
        const batch = await recoverBatch(client, { accountId, filter, missed: true }, { ...page, now });
        await auditRecovery(client, batch, {
          ...{ accountId, actor: destination.by ?? OPERATOR, action: 'destination.recovered', now },
          subject: { id: destination.id, name },
        });
        return batch;
      }),

    recoverMatching: (accountId, { filter, by: actor = OPERATOR, now, after }, once) =>
      recoverInBatches({ id: accountId, accountId }, { after, once }, async (client, page) => {
        const { destinationId: id } = filter;
        if (id !== undefined) await lockActive(client, { id, accountId });
        const destinationIds = await lockAllActive(client, accountId);
        const batch = await recoverBatch(client, { accountId, filter, missed: true, destinationIds }, { ...page, now });
        await auditRecovery(client, batch, {
          ...{ accountId, actor, action: 'deliveries.recovered', now },
          subject: { id: id ?? null, name: 'deliveries that match a filter' },
        });
        return batch;
      }),
  };

  async function recoverInBatches(
    owner: { readonly id: string; readonly accountId?: AccountId | undefined },
    { after = '', once }: { readonly after?: string | undefined; readonly once?: Once<Recovered> | undefined },
    runBatch: (client: pg.PoolClient, page: { afterId: string; limit: number }) => Promise<RecoveredBatch>,
  ): Promise<Recovered> {
    let recovery: Recovery = { afterId: after, recovered: 0 };
    for (;;) {
      try {
        const batch = await serialized(owner, async (client) => {
          recovery = ((await once?.begin(client)) as Recovery | null | undefined) ?? recovery;
          const { afterId, recovered, found = 0 } = recovery;
          const limit = Math.min(recoveryBatch, maxRecovered - found);
          const page = await runBatch(client, { afterId, limit });
          const next = {
            afterId: page.last_id ?? afterId,
            recovered: recovered + page.recovered,
            found: found + page.found,
          };
          const isLast = page.found < limit || next.found >= maxRecovered;
          if (!isLast) {
            await once?.recordProgress(client, next);
            return { next };
          }
          const result = toResult(
            next,
            page.found < limit ? 0 : await countMissed(client, page.selection, next.afterId),
          );
          await once?.keep(client, result);
          return { next, result };
        });
        recovery = batch.next;
        if (batch.result) return batch.result;
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
  const { conditions, values, parameter } = buildConditions(selection);
  const ranges = indexRanges(selection);
  if (ranges) conditions.push(`${ranges.column} = ANY(${parameter(ranges.values)}::${ranges.type}[])`);
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries d
      WHERE ${conditions.join(' AND ')} AND d.id > ${parameter(afterId)}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

interface RecoveredBatch {
  readonly found: number;
  readonly last_id: string | null;
  readonly recovered: number;
  readonly selection: Selection;
}

/** Each batch is audited in its own transaction, so the audit log matches the work done. */
async function auditRecovery(
  client: pg.PoolClient,
  { recovered }: RecoveredBatch,
  event: Omit<Parameters<typeof recordAudit>[1], 'details'>,
): Promise<void> {
  if (recovered > 0) await recordAudit(client, { ...event, details: { recovered } });
}

/**
 * Before each batch, callers check that the destinations are still on, because failures in earlier batches can switch
 * them off.
 */
async function recoverBatch(
  client: pg.PoolClient,
  selection: Selection,
  { afterId, now, limit }: { readonly afterId: string; readonly now: Date; readonly limit: number },
): Promise<RecoveredBatch> {
  const found = selectPage({ ...selection, columns: 'd.id', order: 'oldest first', afterId, limit });
  const at = `$${found.values.length + 1}`;
  const { rows } = await client.query<Omit<RecoveredBatch, 'selection'>>(
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
  return { ...(rows[0] as Omit<RecoveredBatch, 'selection'>), selection };
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

async function lockDestination(
  client: pg.PoolClient,
  { id, accountId }: DestinationReference,
): Promise<{ readonly accountId: AccountId; readonly state: 'active' | 'off'; readonly name: string }> {
  const { rows } = await client.query<{
    account_id: AccountId;
    state: 'active' | 'off';
    plan_required: boolean;
    name: string;
  }>(
    `SELECT account_id, state, plan_required, coalesce(name, url) AS name FROM destinations
      WHERE id = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR account_id = $2)
        FOR SHARE`,
    [id, accountId ?? null],
  );
  const [destination] = rows;
  if (!destination) throw new NotFound('destination');
  if (destination.plan_required) throw new PlanRequired('Destinations');
  return { accountId: destination.account_id, state: destination.state, name: destination.name };
}

async function readDelivery(pool: pg.Pool, { id, accountId }: DeliveryReference): Promise<DeliveryRecord> {
  const { rows } = await pool.query<DeliveryRecord>(
    `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE id = $1 AND ($2::text IS NULL OR account_id = $2)`,
    [id, accountId ?? null],
  );
  if (!rows[0]) throw new NotFound('delivery');
  return rows[0];
}

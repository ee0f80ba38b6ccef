import type { Actor } from '@artist-watch/domain/account/actor';
import type { CountedBlame } from '@artist-watch/domain/delivery/attempt-errors';
import {
  type DeliveryFilter,
  type DeliveryState,
  failureKinds,
  type Trigger,
} from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, AttemptId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { firstIdAt } from '@artist-watch/persistence/database/sql-text';

export interface DeliveryRecord {
  readonly id: DeliveryId;
  readonly accountId: AccountId;
  readonly destinationId: DestinationId;
  /** Null for a test. */
  readonly changeId: ChangeId | null;
  readonly state: DeliveryState;
  readonly trigger: Trigger;
  readonly attemptCount: number;
  /** Null unless pending. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** Null while pending. */
  readonly settledAt: Date | null;
  readonly skippedReason: string | null;
}

export interface AttemptRecord {
  readonly id: AttemptId;
  /** Counted from 1 across all rounds. */
  readonly number: number;
  readonly outcome: 'succeeded' | 'failed';
  /** Null for a success. */
  readonly blame: CountedBlame | null;
  /** Null if no status line arrived. */
  readonly statusCode: number | null;
  /** For example `timed_out`. Null on success. */
  readonly error: string | null;
  /** A human-readable sentence. Null on success. */
  readonly reason: string | null;
  /** At most 4 KiB. */
  readonly responseExcerpt: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

export interface DeliveryReference {
  readonly id: DeliveryId;
  /** Omitted for operators, who may name a delivery of any account. */
  readonly accountId?: AccountId;
  /** Default: the operator. */
  readonly by?: Actor;
}

export const DELIVERY_COLUMNS = `d.id, d.account_id AS "accountId", d.destination_id AS "destinationId", d.change_id AS "changeId",
  d.state, d.trigger, d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt",
  d.created_at AS "createdAt", d.settled_at AS "settledAt", d.skipped_reason AS "skippedReason"`;

export const ATTEMPT_COLUMNS = `a.id, a.number, a.outcome, a.blame, a.status_code AS "statusCode", a.error, a.reason,
  a.response_excerpt AS "responseExcerpt", a.started_at AS "startedAt", a.ended_at AS "endedAt"`;

export const WAS_MISSED = `d.state IN ('failed', 'skipped') AND d.test_body IS NULL`;

export interface Selection {
  readonly accountId: AccountId;
  readonly filter: DeliveryFilter;
  readonly missed?: boolean;
  /** Default: all. */
  readonly destinationIds?: readonly string[];
}

interface PageSelection extends Selection {
  readonly columns: string;
  readonly order: 'oldest first' | 'newest first';
  readonly afterId?: string | undefined;
  readonly limit: number;
}

/**
 * Builds the SQL for a page of deliveries. The cost depends only on the page size, because the query merges the first
 * rows from several index ranges.
 */
export function selectPage({ columns, order, afterId, limit, ...selection }: PageSelection) {
  const { conditions, values, parameter } = buildConditions(selection);
  const [direction, after] = order === 'newest first' ? ['DESC', '<'] : ['ASC', '>'];
  if (afterId !== undefined) conditions.push(`d.id ${after} ${parameter(afterId)}`);
  const ranges = indexRanges(selection);
  if (ranges) conditions.push(`${ranges.column} = part.value`);
  const inOrder = `ORDER BY d.id ${direction} LIMIT ${parameter(limit)}`;
  const page = `SELECT ${columns} FROM deliveries d WHERE ${conditions.join(' AND ')} ${inOrder}`;
  if (!ranges) return { text: page, values };
  const parts = `unnest(${parameter(ranges.values)}::${ranges.type}[]) AS part(value)`;
  return { text: `SELECT d.* FROM ${parts} CROSS JOIN LATERAL (${page}) d ${inOrder}`, values };
}

/** Returns an SQL condition for delivery `d`, its values, and a function that adds a value. */
export function selectAll(selection: Selection) {
  const { conditions, values, parameter } = buildConditions(selection);
  const ranges = indexRanges(selection);
  if (ranges) conditions.push(`${ranges.column} = ANY(${parameter(ranges.values)}::${ranges.type}[])`);
  return { where: conditions.join(' AND '), values, parameter };
}

function buildConditions({ accountId, filter, missed, destinationIds }: Selection) {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = [`d.account_id = ${parameter(accountId)}`];
  const { destinationId, state, changeId, trigger, since, until } = filter;
  if (destinationId !== undefined) conditions.push(`d.destination_id = ${parameter(destinationId)}`);
  if (destinationIds) conditions.push(`d.destination_id = ANY(${parameter(destinationIds)})`);
  if (state !== undefined) conditions.push(`d.state = ${parameter(state)}::delivery_state`);
  if (missed) conditions.push(WAS_MISSED);
  if (changeId !== undefined) conditions.push(`d.change_id = ${parameter(changeId)}`);
  if (trigger !== undefined) conditions.push(`d.trigger = ${parameter(trigger)}::delivery_trigger`);
  // Without this condition, PostgreSQL cannot use the partial index on deliveries that were not triggered by a change.
  if (trigger !== undefined && trigger !== 'change') conditions.push(`d.trigger <> 'change'`);
  if (since) conditions.push(`d.id >= ${parameter(firstIdAt('dlv', since))}`);
  if (until) conditions.push(`d.id < ${parameter(firstIdAt('dlv', until))}`);
  return { conditions, values, parameter };
}

/** Returns undefined if the selection has to read all of the account's deliveries. */
function indexRanges({ filter, missed }: Selection) {
  const kinds = failureKinds(filter);
  if (kinds) return { column: 'd.last_failure', type: 'text', values: kinds };
  if (missed && filter.state === undefined) {
    return { column: 'd.state', type: 'delivery_state', values: ['failed', 'skipped'] };
  }
  return undefined;
}

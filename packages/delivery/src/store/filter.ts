import { type DeliveryFilter, failureKinds } from '@artist-watch/domain/delivery/delivery-filter';
import type { AccountId } from '@artist-watch/domain/ids';
import { firstIdAt } from '@artist-watch/persistence/database/sql-text';
import { WAS_MISSED } from './conditions.js';

export interface Selection {
  readonly accountId: AccountId;
  readonly filter: DeliveryFilter;
  /** Only what a recovery sends. */
  readonly missed?: boolean;
  /** Only to these destinations. */
  readonly destinationIds?: readonly string[];
}

interface PageSelection extends Selection {
  readonly columns: string;
  readonly order: 'oldest first' | 'newest first';
  /** The last one of the page before. */
  readonly afterId?: string | undefined;
  readonly limit: number;
}

/**
 * A page of deliveries. Its cost depends on the page and on what failed, not on all that the account ever sent: a failure is
 * one of few kinds, and a missed delivery has one of two states. Each of them is a range of an index in the order of the
 * page, which is made of the heads of these ranges.
 */
export function selectPage({ columns, order, afterId, limit, ...selection }: PageSelection) {
  const { conditions, values, parameter } = conditionsOf(selection);
  const [direction, beyond] = order === 'newest first' ? ['DESC', '<'] : ['ASC', '>'];
  if (afterId !== undefined) conditions.push(`d.id ${beyond} ${parameter(afterId)}`);
  const ranges = rangesOf(selection);
  if (ranges) conditions.push(`${ranges.column} = part.value`);
  const inOrder = `ORDER BY d.id ${direction} LIMIT ${parameter(limit)}`;
  const page = `SELECT ${columns} FROM deliveries d WHERE ${conditions.join(' AND ')} ${inOrder}`;
  if (!ranges) return { text: page, values };
  const parts = `unnest(${parameter(ranges.values)}::${ranges.type}[]) AS part(value)`;
  return { text: `SELECT d.* FROM ${parts} CROSS JOIN LATERAL (${page}) d ${inOrder}`, values };
}

/** What a statement says of the deliveries `d` of a selection, and its parameters, to which more can be added. */
export function conditionsOf({ accountId, filter, missed, destinationIds }: Selection) {
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
  // In the words of the index that has these few.
  if (trigger !== undefined && trigger !== 'change') conditions.push(`d.trigger <> 'change'`);
  if (since) conditions.push(`d.id >= ${parameter(firstIdAt('dlv', since))}`);
  if (until) conditions.push(`d.id < ${parameter(firstIdAt('dlv', until))}`);
  return { conditions, values, parameter };
}

/** The ranges that a selection is made of, in place of all deliveries of its account. */
export function rangesOf({ filter, missed }: Selection) {
  const kinds = failureKinds(filter);
  if (kinds) return { column: 'd.last_failure', type: 'text', values: kinds };
  if (missed && filter.state === undefined) {
    return { column: 'd.state', type: 'delivery_state', values: ['failed', 'skipped'] };
  }
  return undefined;
}

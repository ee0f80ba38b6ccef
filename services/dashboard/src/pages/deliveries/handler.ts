import { deliveryIdSchema } from '@artist-watch/contracts/api/identifiers';
import type { DeliveryId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page, type Reply, type Visit } from '../../application/page.js';
import { deliveryView } from './detail-view.js';
import { readFilter } from './filter.js';
import { deliveriesView } from './list-view.js';
import { readDeliveries, readDelivery } from './query.js';

export interface DeliveriesParts {
  readonly reads: Database;
  readonly writes: Database;
}

/** `/deliveries`: what was sent to whom, and what came of it. */
export function deliveriesPages({ reads }: DeliveriesParts): Page[] {
  return [
    { method: 'GET', path: '/deliveries', answer: (visit) => showList(reads, visit) },
    { method: 'GET', path: '/deliveries/:delivery', answer: (visit) => showOne(reads, visit) },
  ];
}

async function showList(reads: Database, { account, query, link }: Visit): Promise<Reply> {
  const { typed, filter, errors } = readFilter(query);
  const before = query.get('before') ?? '';
  const beforeId = deliveryIdSchema.safeParse(before).success ? (before as DeliveryId) : undefined;
  const { next, ...found } = await readDeliveries(reads, account.id, { filter, beforeId });
  const pageAfter = (id: string | undefined) =>
    `?${new URLSearchParams({ ...typed, ...(id !== undefined && { before: id }) })}`;
  return page(
    'Deliveries',
    deliveriesView({
      ...{ link, typed, errors, ...found },
      next: next === undefined ? undefined : pageAfter(next),
      first: beforeId === undefined ? undefined : pageAfter(undefined),
    }),
    Object.keys(errors).length > 0 ? 400 : 200,
  );
}

async function showOne(reads: Database, { account, params, link }: Visit): Promise<Reply> {
  const found = await readDelivery(reads, { id: deliveryId(params), accountId: account.id });
  return page('Delivery', deliveryView({ link, ...found }));
}

/** @throws NotFound */
function deliveryId({ delivery }: Visit['params']): DeliveryId {
  if (!deliveryIdSchema.safeParse(delivery).success) throw new NotFound('delivery');
  return delivery as DeliveryId;
}

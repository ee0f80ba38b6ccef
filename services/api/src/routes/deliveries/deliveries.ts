import {
  type DeliveryItem,
  deliveryFilterSchema,
  presentDelivery,
  presentDeliveryDetail,
} from '@artist-watch/contracts/api/delivery';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { deliveryIdSchema, limitSchema, MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import * as operations from '@artist-watch/contracts/api/operations/delivery-operations';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryReference } from '@artist-watch/delivery/store/record';
import { actorOf } from '@artist-watch/domain/account/actor';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import type { AccountId, DeliveryId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { z } from 'zod';
import { linkToNext } from '../../adapters/http/answer/link-to-next.js';
import { pathId } from '../../adapters/http/request/input.js';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { ApiRequest, Route } from '../../adapters/http/route.js';
import type { CursorSeal } from '../../application/reading/cursor-seal.js';
import { filterFrom, requireInstant } from './filter-input.js';

/** The delivery that the path names, never without the account that may see it. @throws NotFound */
export function deliveryOf({ principal, parameters }: ApiRequest): Required<DeliveryReference> {
  return {
    id: pathId<DeliveryId>(deliveryIdSchema, parameters.id, 'delivery'),
    accountId: principal.accountId,
    by: actorOf(principal),
  };
}

export interface ListDeliveriesInput {
  readonly filter: DeliveryFilter;
  readonly limit: number;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** @throws ApiError `invalid_input` (a filter), `invalid_since`, `invalid_limit`, `invalid_cursor` */
export function parseListDeliveries(query: URLSearchParams): ListDeliveriesInput {
  const { destination, state, change, trigger, error, status_class, blame } = deliveryFilterSchema.shape;
  const given = {
    destination: queryParameter(query, 'destination', destination.unwrap(), 'invalid_input'),
    state: queryParameter(query, 'state', state.unwrap(), 'invalid_input'),
    change: queryParameter(query, 'change', change.unwrap(), 'invalid_input'),
    trigger: queryParameter(query, 'trigger', trigger.unwrap(), 'invalid_input'),
    error: queryParameter(query, 'error', error.unwrap(), 'invalid_input'),
    status_class: queryParameter(query, 'status_class', status_class.unwrap(), 'invalid_input'),
    blame: queryParameter(query, 'blame', blame.unwrap(), 'invalid_input'),
  };
  const until = queryParameter(query, 'until', z.string(), 'invalid_input');
  return {
    filter: filterFrom({
      ...given,
      since: queryParameter(query, 'since', sinceSchema, 'invalid_since'),
      until: until === undefined ? undefined : requireInstant('until', until),
    }),
    limit: queryParameter(query, 'limit', limitSchema, 'invalid_limit') ?? MAX_PAGE_ITEMS,
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

export interface DeliveriesPage {
  readonly data: readonly DeliveryItem[];
  readonly next_cursor: string | null;
}

/** A page of the account's deliveries, newest first. One more than the page is read, to know whether others follow. */
export async function listDeliveries(
  { deliveries, cursorSeal }: { readonly deliveries: DeliveryReads; readonly cursorSeal: CursorSeal },
  accountId: AccountId,
  { filter: asked, limit, cursor }: ListDeliveriesInput,
): Promise<DeliveriesPage> {
  const scope = `deliveries:${accountId}`;
  const earlier = cursor === undefined ? undefined : readCursor(cursorSeal, scope, cursor);
  if (earlier) refuseOtherFilter(earlier.filter, asked);
  const filter = earlier?.filter ?? asked;
  const read = await deliveries.list({
    ...filter,
    accountId,
    ...(earlier && { beforeId: earlier.beforeId }),
    limit: limit + 1,
  });
  const page = read.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map(presentDelivery),
    next_cursor: last && read.length > limit ? cursorSeal.close(scope, [last.id, filter]) : null,
  };
}

/** What is in a cursor was closed here: its filter had been parsed. */
const contentSchema = z.tuple([
  z.string(),
  z.looseObject({ since: z.coerce.date().optional(), until: z.coerce.date().optional() }),
]);

function readCursor(seal: CursorSeal, scope: string, cursor: string) {
  const content = contentSchema.safeParse(seal.open(scope, cursor));
  if (!content.success) {
    throw new ApiError('invalid_cursor', '"cursor" must be the "next_cursor" of an earlier page of this list.');
  }
  const [beforeId, filter] = content.data;
  return { beforeId: beforeId as DeliveryId, filter: filter as DeliveryFilter };
}

/** A cursor goes on with the list that it came from, and other filters make another list. */
function refuseOtherFilter(earlier: DeliveryFilter, asked: DeliveryFilter): void {
  for (const [name, value] of Object.entries(asked)) {
    if (String(value) === String(earlier[name as keyof DeliveryFilter])) continue;
    throw new ApiError('invalid_cursor', '"cursor" belongs to a list with other filters; leave the filters out.');
  }
}

export function listDeliveriesRoute(ports: {
  readonly deliveries: DeliveryReads;
  readonly cursorSeal: CursorSeal;
}): Route {
  return {
    operation: operations.listDeliveries,
    async answer({ principal, query }) {
      const page = await listDeliveries(ports, principal.accountId, parseListDeliveries(query));
      // The cursor knows its filters.
      return jsonAnswer(200, page, linkToNext(operations.listDeliveries.path, query, page.next_cursor, ['limit']));
    },
  };
}

export function showDeliveryRoute(deliveries: DeliveryReads): Route {
  return {
    operation: operations.showDelivery,
    async answer(request) {
      return jsonAnswer(200, presentDeliveryDetail(await deliveries.show(deliveryOf(request))));
    },
  };
}

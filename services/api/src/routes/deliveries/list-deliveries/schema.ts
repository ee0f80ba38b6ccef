import { deliveryFilterSchema } from '@artist-watch/contracts/api/delivery';
import { limitSchema, MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import { z } from 'zod';
import { queryParameter } from '../../../adapters/http/request/query-parameter.js';
import { filterFrom, requireInstant } from '../filter-input.js';

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

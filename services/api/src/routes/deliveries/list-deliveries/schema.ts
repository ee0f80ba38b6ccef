import { deliveryFilterSchema } from '@artist-watch/contracts/api/delivery';
import { limitSchema, MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/paging';
import type { ChangeId, DestinationId } from '@artist-watch/domain/ids';
import { z } from 'zod';
import { queryParameter } from '../../../adapters/http/request/query-parameter.js';
import type { DeliveryFilter } from '../../../application/management/ports.js';

export interface ListDeliveriesInput {
  readonly filter: DeliveryFilter;
  readonly limit: number;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** @throws ApiError `invalid_input` (a filter), `invalid_limit`, `invalid_cursor` */
export function parseListDeliveries(query: URLSearchParams): ListDeliveriesInput {
  const { destination, state, change } = deliveryFilterSchema.shape;
  const destinationId = queryParameter(query, 'destination', destination.unwrap(), 'invalid_input');
  const inState = queryParameter(query, 'state', state.unwrap(), 'invalid_input');
  const changeId = queryParameter(query, 'change', change.unwrap(), 'invalid_input');
  return {
    filter: {
      ...(destinationId !== undefined && { destinationId: destinationId as DestinationId }),
      ...(inState !== undefined && { state: inState }),
      ...(changeId !== undefined && { changeId: changeId as ChangeId }),
    },
    limit: queryParameter(query, 'limit', limitSchema, 'invalid_limit') ?? MAX_PAGE_ITEMS,
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

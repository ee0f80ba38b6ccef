import { limitSchema, MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/paging';
import { z } from 'zod';
import { queryParameter } from './query-parameter.js';

export interface PageParameters {
  readonly limit: number;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** `limit` and `cursor` of a list. @throws ApiError `invalid_limit`, `invalid_cursor` */
export function pageParameters(query: URLSearchParams): PageParameters {
  return {
    limit: queryParameter(query, 'limit', limitSchema, 'invalid_limit') ?? MAX_PAGE_ITEMS,
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

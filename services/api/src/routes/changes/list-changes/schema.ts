import { limitSchema, MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import { z } from 'zod';
import { queryParameter } from '../../../adapters/http/request/query-parameter.js';
import { type FilterInput, parseChangeFilter } from '../filter-input.js';

export interface ListChangesInput extends FilterInput {
  /** As it was asked for, before the plan's history cuts it short; undefined when nothing was said. */
  readonly since: Date | undefined;
  readonly limit: number;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** @throws ApiError `invalid_input`, `invalid_since`, `invalid_limit`, `invalid_cursor` */
export function parseListChanges(query: URLSearchParams): ListChangesInput {
  return {
    ...parseChangeFilter(query),
    since: queryParameter(query, 'since', sinceSchema, 'invalid_since'),
    limit: queryParameter(query, 'limit', limitSchema, 'invalid_limit') ?? MAX_PAGE_ITEMS,
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

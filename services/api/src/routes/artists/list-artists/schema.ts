import { type ArtistStatus, artistFilterSchema } from '@artist-watch/contracts/api/artist';
import { limitOfWholeSchema } from '@artist-watch/contracts/api/identifiers';
import { z } from 'zod';
import { queryParameter } from '../../../adapters/http/request/query-parameter.js';

export interface ArtistFilter {
  readonly status?: ArtistStatus;
  readonly q?: string;
}

export interface ListArtistsInput {
  readonly filter: ArtistFilter;
  /** Undefined: all of them. */
  readonly limit: number | undefined;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** @throws ApiError `invalid_input` (a filter), `invalid_limit`, `invalid_cursor` */
export function parseListArtists(query: URLSearchParams): ListArtistsInput {
  const { shape } = artistFilterSchema;
  const status = queryParameter(query, 'status', shape.status.unwrap(), 'invalid_input');
  const q = queryParameter(query, 'q', shape.q.unwrap(), 'invalid_input');
  return {
    filter: { ...(status !== undefined && { status }), ...(q !== undefined && { q }) },
    limit: queryParameter(query, 'limit', limitOfWholeSchema, 'invalid_limit'),
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

import { changeFilterParameters, searchParameter } from '@artist-watch/contracts/api/change-filter';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import { z } from 'zod';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';

export interface FilterInput {
  readonly filter: ChangeFilter;
  /** Exclusive. */
  readonly until: Date | undefined;
}

/** @throws ApiError `invalid_input` */
export function parseChangeFilter(query: URLSearchParams): FilterInput {
  const { severity, artist_id, entity_id, until } = changeFilterParameters.shape;
  const one = <Output>(name: string, type: z.ZodType<Output, string | undefined>) =>
    queryParameter(query, name, type as z.ZodType<Output, string>, 'invalid_input');
  return {
    filter: {
      types: typesOf(query),
      minSeverity: one('severity', severity),
      artistId: one('artist_id', artist_id),
      entityId: one('entity_id', entity_id),
      words: one('q', searchParameter),
    },
    until: one('until', until),
  };
}

/** In one order and each once, so that the same filter makes the same cursor. */
function typesOf(query: URLSearchParams): string[] | undefined {
  const given = query.getAll('type');
  if (given.length === 0) return undefined;
  const parsed = changeFilterParameters.shape.type.safeParse([...new Set(given)].sort());
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid_input', `"type" ${parsed.error.issues[0]?.message}.`);
}

/** A filter as it stands in a cursor. */
export const storedFilterSchema = z.object({
  types: z.array(z.string()).optional(),
  minSeverity: z.enum(SEVERITIES).optional(),
  artistId: z.string().optional(),
  entityId: z.string().optional(),
  words: z.array(z.string()).optional(),
  until: z.number().optional(),
});

export type StoredFilter = z.infer<typeof storedFilterSchema>;

/** Undefined where nothing is filtered. */
export function storedFilter({ filter, until }: FilterInput): StoredFilter | undefined {
  const stored: StoredFilter = JSON.parse(JSON.stringify({ ...filter, until: until?.getTime() }));
  return Object.keys(stored).length === 0 ? undefined : stored;
}

export function openedFilter({ until, ...filter }: StoredFilter = {}): FilterInput {
  return { filter, until: until === undefined ? undefined : new Date(until) };
}

import type { changeFilterParameters, searchParameter } from '@artist-watch/contracts/api/change-filter';
import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import { z } from 'zod';

export interface AskedChanges {
  readonly filter: ChangeFilter;
  /** Exclusive. */
  readonly until: Date | undefined;
}

type FilterQuery = z.output<typeof changeFilterParameters> & { q?: z.output<typeof searchParameter> };

/** What a query asks for, in our own names. */
export function changeFilter({ type, severity, artist_id, entity_id, q, until }: FilterQuery): AskedChanges {
  const filter = { types: type, minSeverity: severity, artistId: artist_id, entityId: entity_id, words: q };
  return { filter, until };
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
export function storedFilter({ filter, until }: AskedChanges): StoredFilter | undefined {
  const stored: StoredFilter = JSON.parse(JSON.stringify({ ...filter, until: until?.getTime() }));
  return Object.keys(stored).length === 0 ? undefined : stored;
}

export function openedFilter({ until, ...filter }: StoredFilter = {}): AskedChanges {
  return { filter, until: until === undefined ? undefined : new Date(until) };
}

import type { changeFilterParameters, searchParameter } from '@artist-watch/contracts/api/change-filter';
import { historyStart, type PlanName } from '@artist-watch/domain/account/plans';
import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import { z } from 'zod';

const DAY_MS = 86_400_000;

/** From when on changes are listed. */
export interface Reach {
  readonly since: Date;
  /** Whether the plan's history cut it short (docs/reference/api.md). */
  readonly clamped: boolean;
}

/** How far back a request for changes reaches, given what it asked for. */
export function reachOf(asked: Date, plan: PlanName, now: Date): Reach {
  const oldest = historyStart(plan, now);
  return asked < oldest ? { since: oldest, clamped: true } : { since: asked, clamped: false };
}

/** What a request without `since` asks for (docs/reference/api.md). */
export function defaultSince(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

/** Says from when on an answer lists changes, where that is not what was asked for. */
export function historyHeader({ since, clamped }: Reach): Record<string, string> {
  return clamped ? { 'X-History-Since': since.toISOString() } : {};
}

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

/** The query parameters of a parsed query. */
export function parametersOf(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (name === 'q') parameters.append(name, (value as readonly string[]).join(' '));
    else if (Array.isArray(value)) for (const one of value) parameters.append(name, one);
    else parameters.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return parameters;
}

import type { changeFilterParameters, searchParameter } from '@artist-watch/contracts/api/change-filter';
import { historyStart, type PlanName } from '@artist-watch/domain/account/plans';
import { CHANGE_STATUSES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import { z } from 'zod';

const DAY_MS = 86_400_000;

export interface Reach {
  readonly since: Date;
  readonly clamped: boolean;
}

/** Clamps the start time to the plan's history period (docs/api/requests.md). */
export function reachOf(wanted: Date, plan: PlanName, now: Date): Reach {
  const oldest = historyStart(plan, now);
  return wanted < oldest ? { since: oldest, clamped: true } : { since: wanted, clamped: false };
}

/** Returns the default for `since` (docs/api/requests.md). */
export function defaultSince(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

export function historyHeader({ since, clamped }: Reach): Record<string, string> {
  return clamped ? { 'X-History-Since': since.toISOString() } : {};
}

export interface WantedChanges {
  readonly filter: ChangeFilter;
  /** Exclusive. */
  readonly until: Date | undefined;
}

type FilterQuery = z.output<typeof changeFilterParameters> & {
  q?: z.output<typeof searchParameter>;
  include_test?: boolean | undefined;
};

export function changeFilter({
  type,
  severity,
  artist_id,
  group_id,
  entity_id,
  until,
  ...rest
}: FilterQuery): WantedChanges {
  const { status, q: words, include_test } = rest;
  const includeTest = include_test ? (true as const) : undefined;
  const filter = { types: type, minSeverity: severity, artistId: artist_id, groupId: group_id, entityId: entity_id };
  return { filter: { ...filter, status, words, includeTest }, until };
}

export const storedFilterSchema = z.object({
  types: z.array(z.string()).optional(),
  minSeverity: z.enum(SEVERITIES).optional(),
  artistId: z.string().optional(),
  groupId: z.string().optional(),
  entityId: z.string().optional(),
  status: z.enum(CHANGE_STATUSES).optional(),
  words: z.array(z.string()).optional(),
  includeTest: z.literal(true).optional(),
  until: z.number().optional(),
});

export type StoredFilter = z.infer<typeof storedFilterSchema>;

export function storedFilter({ filter, until }: WantedChanges): StoredFilter | undefined {
  const stored: StoredFilter = JSON.parse(JSON.stringify({ ...filter, until: until?.getTime() }));
  return Object.keys(stored).length === 0 ? undefined : stored;
}

export function openedFilter({ until, ...filter }: StoredFilter = {}): WantedChanges {
  return { filter, until: until === undefined ? undefined : new Date(until) };
}

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

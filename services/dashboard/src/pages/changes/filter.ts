import { changeFilterParameters, searchParameter } from '@artist-watch/contracts/api/change-filter';
import type { Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeId } from '@artist-watch/domain/ids';

/** What stands in the address of the list, as far as it can be read. */
export interface ChangesFilter {
  readonly type: string | undefined;
  /** This severity or higher. */
  readonly severity: Severity | undefined;
  /** An id, or a part of a name. */
  readonly artist: string;
  /** The platform's id of what has changed. */
  readonly entity: string | undefined;
  /** Days in the member's zone, as `YYYY-MM-DD`, both inclusive. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly words: string;
  readonly after: { readonly confirmedAt: Date; readonly changeId: ChangeId } | undefined;
}

const FILTER_NAMES = ['q', 'artist', 'type', 'severity', 'entity', 'from', 'to'] as const;

export type ChangesFilterName = (typeof FILTER_NAMES)[number];

export interface AskedChangesFilter {
  /** As it was typed, empty fields left out. */
  readonly typed: Partial<Record<ChangesFilterName, string>>;
  readonly filter: ChangesFilter;
  /** What is wrong with what could not be read: the filter leaves it out. */
  readonly errors: Partial<Record<ChangesFilterName, string>>;
}

const CURSOR = /^(\d{1,15})\.(chg_[0-9a-f]{32})$/;
const { type, severity, entity_id: entity } = changeFilterParameters.shape;
/** Days are read by themselves: the API takes instants. */
const SCHEMAS = { q: searchParameter, artist: searchParameter, type, severity, entity };

/** The filter of the list of changes, from an address. */
export function readFilter(query: URLSearchParams): AskedChangesFilter {
  const typed: Partial<Record<ChangesFilterName, string>> = {};
  const errors: Partial<Record<ChangesFilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const text = query.get(name)?.trim() ?? '';
    if (text === '') continue;
    typed[name] = text;
    const problem = problemOf(name, text);
    if (problem !== undefined) errors[name] = problem;
  }
  if (!errors.from && !errors.to && typed.from && typed.to && typed.to < typed.from) {
    errors.to = 'must not be before the first day';
  }
  const read = (name: ChangesFilterName) => (errors[name] === undefined ? typed[name] : undefined);
  const cursor = CURSOR.exec(query.get('after') ?? '');
  const filter: ChangesFilter = {
    ...{ type: read('type'), severity: read('severity') as Severity | undefined, artist: read('artist') ?? '' },
    entity: read('entity'),
    ...{ from: read('from'), to: read('to'), words: (read('q') ?? '').split(/\s+/).join(' ') },
    after: cursor ? { confirmedAt: new Date(Number(cursor[1])), changeId: cursor[2] as ChangeId } : undefined,
  };
  return { typed, filter, errors };
}

/** The query of the same list at a place of it; empty for the whole list from its beginning. */
export function writeFilter(filter: Partial<ChangesFilter>): string {
  const { type, severity, artist, entity, from, to, words, after } = filter;
  const cursor = after && `${after.confirmedAt.getTime()}.${after.changeId}`;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ type, severity, artist, entity, from, to, q: words, after: cursor })) {
    if (value) query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** As the API would refuse it. */
function problemOf(name: ChangesFilterName, text: string): string | undefined {
  if (name === 'from' || name === 'to') return isDay(text) ? undefined : 'must be a day such as 2026-05-01';
  const { error } = SCHEMAS[name].safeParse(name === 'type' ? [text] : text);
  return error && (error.issues[0]?.message ?? 'is not known');
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00Z`);
  // 30 February is read as a day of March.
  return /^[12]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

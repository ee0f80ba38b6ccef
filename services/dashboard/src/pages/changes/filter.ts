import { isDetectedChangeType, SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeId } from '@artist-watch/domain/ids';

/** What stands in the address of the list, as far as it can be read. */
export interface ChangesFilter {
  readonly type: string | undefined;
  /** This severity or graver. */
  readonly severity: Severity | undefined;
  /** An id, or a part of a name. */
  readonly artist: string;
  /** Days in the member's zone, as `YYYY-MM-DD`, both inclusive. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly words: string;
  readonly after: { readonly confirmedAt: Date; readonly changeId: ChangeId } | undefined;
}

const MAX_TEXT_CHARS = 200;
const MAX_WORDS = 10;
const CURSOR = /^(\d{1,15})\.(chg_[0-9a-f]{32})$/;

/** What cannot be read is left out: an address that somebody typed shows a list, not a mistake. */
export function readFilter(query: URLSearchParams): ChangesFilter {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, MAX_TEXT_CHARS);
  const severity = SEVERITIES.find((one) => one === query.get('severity'));
  const cursor = CURSOR.exec(query.get('after') ?? '');
  return {
    type: isDetectedChangeType(text('type')) ? text('type') : undefined,
    severity,
    artist: text('artist'),
    from: dayOf(text('from')),
    to: dayOf(text('to')),
    words: text('q').split(/\s+/).slice(0, MAX_WORDS).join(' '),
    after: cursor ? { confirmedAt: new Date(Number(cursor[1])), changeId: cursor[2] as ChangeId } : undefined,
  };
}

/** The query of the same list at a place of it; empty for the whole list from its beginning. */
export function writeFilter(filter: Partial<ChangesFilter>): string {
  const { type, severity, artist, from, to, words, after } = filter;
  const cursor = after && `${after.confirmedAt.getTime()}.${after.changeId}`;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ type, severity, artist, from, to, q: words, after: cursor })) {
    if (value) query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query}`;
}

function dayOf(text: string): string | undefined {
  const isDay = /^[12]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00Z`));
  return isDay ? text : undefined;
}

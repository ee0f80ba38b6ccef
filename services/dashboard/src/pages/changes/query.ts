import type { ArtistItem } from '@artist-watch/contracts/api/artist';
import { changeFilterParameters, searchParameter } from '@artist-watch/contracts/api/change-filter';
import { historyStart } from '@artist-watch/domain/account/plans';
import type { ChangeStatus, Severity } from '@artist-watch/domain/change/change-types';
import { instantOf } from '@artist-watch/domain/zoned-time';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import type { FeedPosition } from '@artist-watch/persistence/change/feed-range';
import type { Database } from '@artist-watch/persistence/database/database';
import { z } from 'zod';
import { positionIn, readFields, typedId } from '../../application/fields.js';
import type { Visit } from '../../application/page.js';

const day = z.string().refine(isDay, 'must be a date such as 2026-05-01');
const { type, severity, status, entity_id: entity, group_id: group } = changeFilterParameters.shape;

const FIELDS = {
  q: searchParameter,
  artist: searchParameter,
  type: z.preprocess((text) => [text], type),
  severity,
  status,
  entity,
  group,
  from: day,
  to: day,
};

type ChangesFilter = Partial<Record<keyof typeof FIELDS, string>>;

export type AskedChangesFilter = ReturnType<typeof readFilter>;

export function readFilter(query: URLSearchParams) {
  const { typed, read, errors } = readFields(query, FIELDS);
  if (read.from && read.to && read.to < read.from) errors.to = 'It must not be before the start date.';
  const filter: ChangesFilter = Object.fromEntries(Object.entries(typed).filter(([name]) => !(name in errors)));
  return { typed, filter, errors, after: positionIn(query) };
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00Z`);
  // JavaScript would parse 30 February as a day in March.
  return /^[12]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const PAGE_CHANGES = 50;
export const MAX_ARTISTS = 10;

export async function readChanges(
  database: Database,
  visit: Visit,
  filter: ChangesFilter,
  after: FeedPosition | undefined,
) {
  const [{ range, artists }, groups] = await Promise.all([
    rangeOf(database, visit, filter),
    groupStore(database).list(visit.account.id),
  ]);
  if (!range) return { changes: [], next: undefined, artists, groups };
  return { ...(await readFeedChangesInTurn(database, { ...range, after }, PAGE_CHANGES)), artists, groups };
}

/**
 * Limits the filter to the plan's history period. The range is undefined if there is an artist filter that doesn't
 * match exactly one artist.
 */
export async function rangeOf(
  database: Database,
  visit: Visit,
  { q, artist = '', type, severity, status, entity, group, from, to }: ChangesFilter,
) {
  const { account, zone, now } = visit;
  const artists = await artistsNamed(database, visit, artist);
  const [only] = artists.length === 1 ? artists : [];
  const artistId = typedId('art', artist) ?? only?.id;
  if (artist !== '' && artistId === undefined) return { range: undefined, artists };
  const oldest = historyStart(account.plan, now);
  const first = from === undefined ? undefined : instantOf(from, 0, zone);
  const range = {
    accountId: account.id,
    since: first && first > oldest ? first : oldest,
    until: to === undefined ? undefined : instantOf(to, 0, zone, 1),
    filter: {
      types: type === undefined ? undefined : [type],
      minSeverity: severity as Severity | undefined,
      artistId,
      groupId: group,
      entityId: entity,
      status: status as ChangeStatus | undefined,
      words: q?.split(/\s+/),
    },
  };
  return { range, artists };
}

async function artistsNamed(database: Database, { account, now }: Visit, text: string): Promise<readonly ArtistItem[]> {
  if (text === '') return [];
  const request = { accountId: account.id, q: text, limit: MAX_ARTISTS, now };
  const { itemsJson } = await artistList(database).readPage(request);
  return JSON.parse(itemsJson);
}

import type { ArtistItem } from '@artist-watch/contracts/api/artist';
import { oldestOf } from '@artist-watch/domain/account/plans';
import type { Severity } from '@artist-watch/domain/change/change-types';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import type { FeedPosition } from '@artist-watch/persistence/change/feed-range';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';
import { typedId } from '../../application/typed.js';
import { startOfDay } from '../../application/zoned-day.js';
import type { ChangesFilter } from './filter.js';

const PAGE_CHANGES = 50;
export const MAX_ARTISTS = 10;

/** A page of the account's changes, newest first; none while it is open which artist is meant. */
export async function readChanges(
  database: Database,
  visit: Visit,
  filter: ChangesFilter,
  after: FeedPosition | undefined,
) {
  const { range, artists } = await rangeOf(database, visit, filter);
  if (!range) return { changes: [], next: undefined, artists };
  return { ...(await readFeedChangesInTurn(database, { ...range, after }, PAGE_CHANGES)), artists };
}

/** What the filter asks for within the plan's history; no range while it is open which artist is meant. */
export async function rangeOf(
  database: Database,
  visit: Visit,
  { q, artist = '', type, severity, entity, from, to }: ChangesFilter,
) {
  const { account, zone, now } = visit;
  const artists = await artistsNamed(database, visit, artist);
  const [only] = artists.length === 1 ? artists : [];
  const artistId = typedId('art', artist) ?? only?.id;
  if (artist !== '' && artistId === undefined) return { range: undefined, artists };
  const oldest = oldestOf(account.plan, now);
  const first = from === undefined ? undefined : startOfDay(from, zone);
  const range = {
    accountId: account.id,
    since: first && first > oldest ? first : oldest,
    until: to === undefined ? undefined : startOfDay(to, zone, 1),
    filter: {
      ...{ types: type === undefined ? undefined : [type], minSeverity: severity as Severity | undefined, artistId },
      ...{ entityId: entity, words: q?.split(/\s+/) },
    },
  };
  return { range, artists };
}

/** The watched artists that a text may mean; none is looked for where there is no text. */
async function artistsNamed(database: Database, { account, now }: Visit, text: string): Promise<readonly ArtistItem[]> {
  if (text === '') return [];
  const request = { accountId: account.id, q: text, limit: MAX_ARTISTS, now };
  const { itemsJson } = await artistList(database).readPage(request);
  return JSON.parse(itemsJson);
}

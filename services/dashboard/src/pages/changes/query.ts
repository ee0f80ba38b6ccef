import { oldestOf } from '@artist-watch/domain/account/plans';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';
import { typedId } from '../../application/typed.js';
import { startOfDay } from '../../application/zoned-day.js';
import type { ChangesFilter } from './filter.js';

const PAGE_CHANGES = 50;
const MAX_ARTISTS = 10;

interface ArtistOption {
  readonly id: string;
  readonly name: string;
}

interface FoundChanges {
  readonly changes: Awaited<ReturnType<typeof readFeedChangesInTurn>>['changes'];
  /** The list goes on after it. */
  readonly next: ChangesFilter['after'];
  /** Those that the text in the field of the artist may mean. */
  readonly artists: readonly ArtistOption[];
}

/** A page of the account's changes, newest first; none while it is open which artist is meant. */
export async function readChanges(database: Database, visit: Visit, filter: ChangesFilter): Promise<FoundChanges> {
  const { range, artists } = await rangeOf(database, visit, filter);
  if (!range) return { changes: [], next: undefined, artists };
  const { changes, next } = await readFeedChangesInTurn(database, { ...range, after: filter.after }, PAGE_CHANGES);
  return { changes, next, artists };
}

/** What the filter asks for within the plan's history; no range while it is open which artist is meant. */
export async function rangeOf(database: Database, visit: Visit, filter: ChangesFilter) {
  const { account, zone, now } = visit;
  const artists = await artistsNamed(database, visit, filter.artist);
  const [only] = artists.length === 1 ? artists : [];
  const artistId = typedId('art', filter.artist) ?? only?.id;
  if (filter.artist !== '' && artistId === undefined) return { range: undefined, artists };
  const oldest = oldestOf(account.plan, now);
  const from = filter.from === undefined ? undefined : startOfDay(filter.from, zone);
  const range = {
    accountId: account.id,
    since: from && from > oldest ? from : oldest,
    until: filter.to === undefined ? undefined : startOfDay(filter.to, zone, 1),
    filter: {
      types: filter.type === undefined ? undefined : [filter.type],
      minSeverity: filter.severity,
      artistId,
      entityId: filter.entity,
      words: filter.words === '' ? undefined : filter.words.split(' '),
    },
  };
  return { range, artists };
}

/** The watched artists that a text may mean; none is looked for where there is no text. */
async function artistsNamed(database: Database, { account, now }: Visit, text: string): Promise<ArtistOption[]> {
  if (text === '') return [];
  const { itemsJson } = await artistList(database).readPage({
    accountId: account.id,
    q: text,
    limit: MAX_ARTISTS,
    now,
  });
  return JSON.parse(itemsJson) as ArtistOption[];
}

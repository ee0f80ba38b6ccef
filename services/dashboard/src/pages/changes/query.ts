import { PLANS } from '@artist-watch/domain/account/plans';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { readConfirmedChanges } from '@artist-watch/persistence/change/confirmed-changes';
import { readFeedIds } from '@artist-watch/persistence/change/feed-range';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';
import { startOfDay } from '../../application/zoned-day.js';
import type { ChangesFilter } from './filter.js';

const PAGE_CHANGES = 50;
const MAX_ARTISTS = 10;
const DAY_MS = 86_400_000;
const ARTIST_ID = /^art_[0-9a-f]{32}$/;

interface NamedArtist {
  readonly id: string;
  readonly name: string;
}

interface ChangesPage {
  readonly changes: Awaited<ReturnType<typeof readConfirmedChanges>>;
  /** The list goes on after it. */
  readonly next: ChangesFilter['after'];
  /** Those that the text in the field of the artist may mean. */
  readonly artists: readonly NamedArtist[];
}

/** A page of the account's changes, newest first; none while it is open which artist is meant. */
export async function readChanges(database: Database, visit: Visit, filter: ChangesFilter): Promise<ChangesPage> {
  const { account, zone, now } = visit;
  const artists = await artistsNamed(database, visit, filter.artist);
  const [only] = artists.length === 1 ? artists : [];
  const artistId = ARTIST_ID.test(filter.artist) ? filter.artist : only?.id;
  if (filter.artist !== '' && artistId === undefined) return { changes: [], next: undefined, artists };
  const oldest = new Date(now.getTime() - PLANS[account.plan].historyDays * DAY_MS);
  const from = filter.from === undefined ? oldest : startOfDay(filter.from, zone);
  const { ids, next } = await readFeedIds(
    database.pool,
    {
      accountId: account.id,
      since: from > oldest ? from : oldest,
      until: filter.to === undefined ? undefined : startOfDay(filter.to, zone, 1),
      after: filter.after,
      filter: {
        types: filter.type === undefined ? undefined : [filter.type],
        minSeverity: filter.severity,
        artistId,
        words: filter.words === '' ? undefined : filter.words.split(' '),
      },
    },
    PAGE_CHANGES,
  );
  const found = new Map((await readConfirmedChanges(database.pool, ids)).map((change) => [change.id, change]));
  return { changes: ids.flatMap((id) => found.get(id) ?? []), next, artists };
}

/** The watched artists that a text may mean; none is looked for where there is no text. */
async function artistsNamed(database: Database, { account, now }: Visit, text: string): Promise<NamedArtist[]> {
  if (text === '') return [];
  const { itemsJson } = await artistList(database).readPage({
    accountId: account.id,
    q: text,
    limit: MAX_ARTISTS,
    now,
  });
  return JSON.parse(itemsJson) as NamedArtist[];
}

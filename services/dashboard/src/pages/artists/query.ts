import type { ArtistItem, ArtistStatus } from '@artist-watch/contracts/api/artist';
import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import type { WatchId } from '@artist-watch/domain/ids';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { usageStore } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';

const PAGE_ARTISTS = 25;

export interface ArtistsFilter {
  readonly status: ArtistStatus | undefined;
  readonly q: string;
  readonly after: WatchId | undefined;
}

/** What the list shows, in two statements. */
export async function readArtists(
  database: Database,
  intervalFactor: number,
  { account, now }: Visit,
  { status, q, after }: ArtistsFilter,
) {
  const request = { accountId: account.id, status, q, after, limit: PAGE_ARTISTS, now };
  const [{ itemsJson, next }, places] = await Promise.all([
    artistList(database, intervalFactor).readPage(request),
    readPlaces(database, account, now),
  ]);
  return { artists: JSON.parse(itemsJson) as readonly ArtistItem[], next, places };
}

/** How many of the plan's artists are used. */
export async function readPlaces(database: Database, account: Visit['account'], now: Date) {
  const limits = PLANS[account.plan];
  const used = artistsUsed(await usageStore(database).read(account.id, now), limits);
  return { used, limit: limits.artists };
}

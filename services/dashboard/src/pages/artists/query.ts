import type { ArtistItem, ArtistStatus } from '@artist-watch/contracts/api/artist';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import type { WatchId } from '@artist-watch/domain/ids';
import { artistList, watchedAmong } from '@artist-watch/persistence/account/artist-list';
import { usageStore } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { GateFull } from '@artist-watch/runtime/gate';
import type { Visit } from '../../application/page.js';
import type { PageParts } from '../parts.js';

const PAGE_ARTISTS = 25;

export interface ArtistsFilter {
  readonly status: ArtistStatus | undefined;
  readonly q: string;
  readonly after: WatchId | undefined;
}

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

export async function readPlaces(database: Database, account: Visit['account'], now: Date) {
  const limits = PLANS[account.plan];
  const used = artistsUsed(await usageStore(database).read(account.id, now), limits);
  return { used, limit: limits.artists };
}

/** Returns the artists, or why the search failed. */
export async function searchByName({ reads, watching, tools }: PageParts, { account, now }: Visit, name: string) {
  if (name === '') return { found: [], problem: undefined };
  const caller = { accountId: account.id, plan: account.plan };
  try {
    const found = await tools.artists.find(name, caller, now);
    const ids = found.map(({ platformId }) => platformId);
    const watched = await watchedAmong(reads.pool, account.id, watching.platform, ids);
    return { found: found.map((one) => ({ ...one, artistId: watched.get(one.platformId) })), problem: undefined };
  } catch (error) {
    if (error instanceof ApiError) return { found: [], problem: error.message };
    if (error instanceof GateFull)
      return { found: [], problem: 'Too many searches are running. Try again in a moment.' };
    throw error;
  }
}

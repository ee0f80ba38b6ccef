import { ApiError } from '@artist-watch/contracts/api/errors';
import { artistsUsed, historyStart, PLANS } from '@artist-watch/domain/account/plans';
import { artistList, type SortedArtistsRequest, watchedAmong } from '@artist-watch/persistence/account/artist-list';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { readUsage } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { GateFull } from '@artist-watch/runtime/gate';
import type { Visit } from '../../application/page.js';
import type { PageParts } from '../parts.js';

const PAGE_ARTISTS = 100;

type ArtistsFilter = Pick<SortedArtistsRequest, 'status' | 'q' | 'group_id' | 'sort'> & { readonly page: number };

export async function readArtists(
  database: Database,
  intervalFactor: number,
  { account, now }: Visit,
  { page, ...filter }: ArtistsFilter,
) {
  const since = historyStart(account.plan, now);
  const range = { offset: (page - 1) * PAGE_ARTISTS, limit: PAGE_ARTISTS };
  const [found, places, groups] = await Promise.all([
    artistList(database, intervalFactor).readSorted({ accountId: account.id, ...filter, since, ...range, now }),
    readPlaces(database, account, now),
    groupStore(database).list(account.id),
  ]);
  return { ...found, start: range.offset, places, groups };
}

export async function readPlaces(database: Database, account: Visit['account'], now: Date) {
  const limits = PLANS[account.plan];
  const used = artistsUsed(await readUsage(database, account.id, now), limits);
  return { used, limit: limits.artists };
}

/** Returns the matching artists, or the reason why the search failed. */
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

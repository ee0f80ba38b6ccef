import type { ArtistItem } from '@artist-watch/contracts/api/artist';
import { historyStart } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import { parsePlatformAddress } from '@artist-watch/domain/platform/platform-address';
import { isPlatformId } from '@artist-watch/domain/platform/platform-id';
import { artistList, watchedAmong } from '@artist-watch/persistence/account/artist-list';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';

const SHOWN = 20;
const MAX_WORDS = 10;

export async function findOnPlatform(database: Database, platform: Platform, visit: Visit, q: string) {
  const address = parsePlatformAddress(q);
  const id = isPlatformId(platform, q) ? q : address?.platform === platform ? address.id : undefined;
  if (id === undefined) return undefined;
  const isArtist = address === null || address.entity === 'artist';
  const [watched, { changes }] = await Promise.all([
    isArtist ? watchedAmong(database.pool, visit.account.id, platform, [id]) : undefined,
    readChanges(database, visit, { entityId: id }),
  ]);
  return { artistId: watched?.get(id), platformId: isArtist ? id : undefined, entityId: id, artists: [], changes };
}

export async function findByWords(database: Database, intervalFactor: number, visit: Visit, q: string) {
  if (q === '') return { artists: [], changes: [], goesOn: false };
  const { account, now } = visit;
  const [{ itemsJson }, { changes, next }] = await Promise.all([
    artistList(database, intervalFactor).readPage({ accountId: account.id, q, limit: SHOWN, now }),
    readChanges(database, visit, { words: q.split(' ').slice(0, MAX_WORDS) }),
  ]);
  return { artists: JSON.parse(itemsJson) as readonly ArtistItem[], changes, goesOn: next !== undefined };
}

function readChanges(database: Database, { account, now }: Visit, filter: ChangeFilter) {
  const since = historyStart(account.plan, now);
  const range = { accountId: account.id, since, filter };
  return readFeedChangesInTurn(database, range, SHOWN);
}

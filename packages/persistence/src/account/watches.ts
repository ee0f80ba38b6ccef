import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { SHOWN_ARTIST, shownArtists } from './artist-list.js';
import { recordAudit } from './audit.js';
import { withAccountLocked } from './lock.js';
import { type ArtistToWatch, beginWatches, type ManyToWatch, type WatchedArtist } from './watch-many.js';

export type WatchRequest = Omit<ManyToWatch, 'artists'> & ArtistToWatch;

/** Which artist: by our id, or by the platform's. */
export type ArtistReference =
  | { readonly artistId: ArtistId }
  | { readonly platform: Platform; readonly platformId: string };

export interface Watched {
  readonly artist: WatchedArtist;
  /** Whether this call made the watch. */
  readonly created: boolean;
}

export interface WatchStore {
  /**
   * Lets an account follow an artist. Following it already changes nothing, at any number of artists. How many watches
   * an account may begin is limited for each UTC day as well, since each may cost a first reading.
   *
   * @throws NotFound (account), PlanLimitReached
   */
  watch(request: WatchRequest, once?: Once<Watched>): Promise<Watched>;
  /**
   * Ends it. What the account's feed holds of the artist stays; an artist whom nobody follows any more is not read.
   *
   * @throws NotFound when the account does not follow such an artist.
   */
  unwatch(accountId: AccountId, artist: ArtistReference, now: Date, by?: Actor): Promise<WatchedArtist>;
  /** Oldest watch first. */
  list(accountId: AccountId, now: Date): Promise<WatchedArtist[]>;
}

/** @param intervalFactor POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
export function watchStore(database: Database, intervalFactor = 1): WatchStore {
  const shown = `SELECT ${SHOWN_ARTIST} FROM (${shownArtists(intervalFactor)}`;
  const showAll = (client: Prisma.TransactionClient, accountId: AccountId, now: Date) =>
    client.$queryRawUnsafe<WatchedArtist[]>(`${shown} ORDER BY w.id OFFSET 0) shown`, accountId, now.toISOString());
  const showOne = async (client: Prisma.TransactionClient, accountId: AccountId, artistId: string, now: Date) => {
    const text = `${shown} AND w.artist_id = $3) shown`;
    const [artist] = await client.$queryRawUnsafe<WatchedArtist[]>(text, accountId, now.toISOString(), artistId);
    return artist;
  };

  return {
    watch(request, once) {
      const { accountId, platformId } = request;
      return withAccountLocked(database, accountId, async (transaction, { limits }) => {
        await once?.begin(transaction);
        const many = { ...request, artists: [request] };
        const { artists, outcomes, refusal } = await beginWatches(transaction, many, limits, intervalFactor);
        if (refusal) throw refusal;
        const artist = artists.get(platformId);
        if (!artist) throw new Error('A watch shows no artist.');
        const watched = { artist, created: outcomes[platformId] === 'watched' };
        await once?.keep(transaction, watched);
        return watched;
      });
    },

    unwatch(accountId, reference, now, actor = OPERATOR) {
      return database.turns.run(accountId, async () =>
        (await database.prisma()).$transaction(async (transaction) => {
          const artistId = await lockArtist(transaction, reference);
          const artist = await showOne(transaction, accountId, artistId, now);
          if (!artist) throw new NotFound('artist');
          await transaction.watch.deleteMany({ where: { accountId, artistId } });
          await transaction.artist.updateMany({
            where: { id: artistId, watches: { none: {} } },
            data: { nextPollAt: null },
          });
          const subject = { id: artist.id, name: artist.name };
          await recordAudit(transaction, { accountId, actor, action: 'artist.unwatched', subject, now });
          return artist;
        }),
      );
    },

    list: async (accountId, now) => showAll(await database.prisma(), accountId, now),
  };
}

async function lockArtist(transaction: Prisma.TransactionClient, reference: ArtistReference): Promise<string> {
  const where =
    'artistId' in reference
      ? { id: reference.artistId }
      : { platform_platformId: { platform: reference.platform, platformId: reference.platformId } };
  const artist = await transaction.artist.findUnique({ where, select: { id: true } });
  if (!artist) throw new NotFound('artist');
  await transaction.$queryRaw`SELECT 1 FROM artists WHERE id = ${artist.id} FOR NO KEY UPDATE`;
  return artist.id;
}

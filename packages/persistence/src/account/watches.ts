import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import type { Plan } from '@artist-watch/domain/account/plans';
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

export type WatchStore = ReturnType<typeof watchStore>;

/** @param intervalFactor POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
export function watchStore(database: Database, intervalFactor = 1) {
  const shown = `SELECT ${SHOWN_ARTIST} FROM (${shownArtists(intervalFactor)}`;
  return {
    /**
     * Lets an account follow an artist. Following it already changes nothing, at any number of artists. How many watches
     * an account may begin is limited for each UTC day as well, since each may cost a first reading.
     *
     * @throws NotFound (account), PlanLimitReached
     */
    watch(request: WatchRequest, once?: Once<Watched>): Promise<Watched> {
      const { accountId, platformId } = request;
      const watchOne = async (transaction: Prisma.TransactionClient, limits: Plan) => {
        const many = { ...request, artists: [request] };
        const { artists, outcomes, refusal } = await beginWatches(transaction, many, limits, intervalFactor);
        if (refusal) throw refusal;
        const artist = artists.get(platformId);
        if (!artist) throw new Error('A watch shows no artist.');
        return { artist, created: outcomes[platformId] === 'watched' };
      };
      return withAccountLocked(database, accountId, watchOne, once);
    },

    /**
     * Ends it. What the account's feed holds of the artist stays; an artist whom nobody follows any more is not read.
     *
     * @throws NotFound when there is no such account, or it does not follow such an artist.
     */
    unwatch(
      accountId: AccountId,
      reference: ArtistReference,
      now: Date,
      actor: Actor = OPERATOR,
    ): Promise<WatchedArtist> {
      return withAccountLocked(database, accountId, async (transaction) => {
        const artistId = await lockArtist(transaction, reference);
        const text = `${shown} AND w.artist_id = $3) shown`;
        const values = [accountId, now.toISOString(), artistId];
        const [artist] = await transaction.$queryRawUnsafe<WatchedArtist[]>(text, ...values);
        if (!artist) throw new NotFound('artist');
        await transaction.watch.deleteMany({ where: { accountId, artistId } });
        await transaction.artist.updateMany({
          where: { id: artistId, watches: { none: {} } },
          data: { nextPollAt: null },
        });
        const subject = { id: artist.id, name: artist.name };
        await recordAudit(transaction, { accountId, actor, action: 'artist.unwatched', subject, now });
        return artist;
      });
    },

    /** Oldest watch first. */
    async list(accountId: AccountId, now: Date): Promise<WatchedArtist[]> {
      const text = `${shown} ORDER BY w.id OFFSET 0) shown`;
      return (await database.pool.query<WatchedArtist>(text, [accountId, now])).rows;
    },
  };
}

async function lockArtist(transaction: Prisma.TransactionClient, reference: ArtistReference): Promise<string> {
  const [condition, ...values] =
    'artistId' in reference
      ? ['id = $1', reference.artistId]
      : ['platform = $1::platform AND platform_id = $2', reference.platform, reference.platformId];
  const text = `SELECT id FROM artists WHERE ${condition} FOR NO KEY UPDATE`;
  const [artist] = await transaction.$queryRawUnsafe<{ id: string }[]>(text, ...values);
  if (!artist) throw new NotFound('artist');
  return artist.id;
}

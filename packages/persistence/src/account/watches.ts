import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId, WatchId } from '@artist-watch/domain/ids';
import { NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Artist, Prisma } from '../generated/prisma/client.js';
import { doneOnce, type Receipt } from '../idempotency-receipt.js';
import { withAccountLocked } from './lock.js';

export interface WatchedArtist {
  readonly id: ArtistId;
  readonly platformId: string;
  readonly name: string;
  /** The last known value, 0 before the first. */
  readonly followers: number;
  readonly monthlyListeners: number;
  /** Null before the first. */
  readonly metricsObservedAt: Date | null;
}

export interface WatchRequest {
  readonly watchId: WatchId;
  readonly accountId: AccountId;
  /** The id that the artist gets if nobody has watched it before. */
  readonly artistId: ArtistId;
  readonly platform: Platform;
  readonly platformId: string;
  /** What the platform calls the artist; its platform id stands in until the first poll when this is left out. */
  readonly name?: string;
  readonly now: Date;
}

/** Which artist: by our id, or by the platform's. */
export type ArtistReference =
  | { readonly artistId: ArtistId }
  | { readonly platform: Platform; readonly platformId: string };

export interface WatchStore {
  /**
   * Lets an account follow an artist. Following it already changes nothing, at any number of artists.
   *
   * @returns `created`: whether this call made the watch.
   * @throws NotFound (account), PlanLimitReached
   */
  watch(
    request: WatchRequest,
    receipt?: Receipt,
  ): Promise<{ readonly artist: WatchedArtist; readonly created: boolean }>;
  /**
   * Ends it. What the account's feed holds of the artist stays; an artist whom nobody follows any more is not read.
   *
   * @throws NotFound when the account does not follow such an artist.
   */
  unwatch(accountId: AccountId, artist: ArtistReference): Promise<WatchedArtist>;
  /** Oldest watch first. */
  list(accountId: AccountId): Promise<WatchedArtist[]>;
}

export function watchStore(database: Database): WatchStore {
  return {
    watch(request, receipt) {
      const { accountId, platform, platformId, now } = request;
      return withAccountLocked(database, accountId, async (transaction, { limits }) => {
        await doneOnce(transaction, receipt, async () => {
          if ((await transaction.watch.count({ where: { accountId, artist: { platform, platformId } } })) > 0) return;
          if ((await transaction.watch.count({ where: { accountId } })) >= limits.artists) {
            throw new PlanLimitReached('artists', limits.artists);
          }
          const artistId = await schedule(transaction, request, limits.pollIntervalMs);
          await transaction.watch.create({ data: { id: request.watchId, accountId, artistId, createdAt: now } });
        });
        const { watches, ...artist } = await transaction.artist.findUniqueOrThrow({
          where: { platform_platformId: { platform, platformId } },
          include: { watches: { where: { accountId } } },
        });
        // The watch of a request that is made once more was made by it, and may have been ended since.
        return { artist: toWatchedArtist(artist), created: watches.every(({ id }) => id === request.watchId) };
      });
    },

    unwatch(accountId, reference) {
      return database.prisma.$transaction(async (transaction) => {
        const artist = await lockArtist(transaction, reference);
        const { count } = await transaction.watch.deleteMany({ where: { accountId, artistId: artist.id } });
        if (count === 0) throw new NotFound('artist');
        await transaction.artist.updateMany({
          where: { id: artist.id, watches: { none: {} } },
          data: { nextPollAt: null },
        });
        return toWatchedArtist(artist);
      });
    },

    async list(accountId) {
      const rows = await database.prisma.watch.findMany({
        where: { accountId },
        orderBy: { id: 'asc' },
        include: { artist: true },
      });
      return rows.map((row) => toWatchedArtist(row.artist));
    },
  };
}

/**
 * Makes the artist if it is new, and sees to it that it is polled: at once when nobody followed it, else no later than
 * the plan of the new follower asks for. Holds the artist's row, so that the last one to leave cannot stop the polling
 * under the feet of the first one to come.
 */
async function schedule(
  transaction: Prisma.TransactionClient,
  { artistId, platform, platformId, name, now }: WatchRequest,
  pollIntervalMs: number,
): Promise<string> {
  const [artist] = await transaction.$queryRaw<{ id: string }[]>`
    INSERT INTO artists (id, platform, platform_id, name, created_at, next_poll_at)
    VALUES (${artistId}, ${platform}::platform, ${platformId}, ${name ?? platformId}, ${now}, ${now})
    ON CONFLICT (platform, platform_id) DO UPDATE
      SET next_poll_at = CASE
            WHEN artists.next_poll_at IS NULL THEN excluded.next_poll_at
            WHEN artists.incomplete_polls > 0 THEN artists.next_poll_at
            ELSE least(artists.next_poll_at,
                       greatest(excluded.next_poll_at,
                                artists.last_polled_at + ${pollIntervalMs} * interval '1 millisecond'))
          END
    RETURNING id`;
  if (!artist) throw new Error('An upsert returned no row.');
  return artist.id;
}

async function lockArtist(transaction: Prisma.TransactionClient, reference: ArtistReference): Promise<Artist> {
  const where =
    'artistId' in reference
      ? { id: reference.artistId }
      : { platform_platformId: { platform: reference.platform, platformId: reference.platformId } };
  const artist = await transaction.artist.findUnique({ where });
  if (!artist) throw new NotFound('artist');
  await transaction.$queryRaw`SELECT 1 FROM artists WHERE id = ${artist.id} FOR NO KEY UPDATE`;
  return artist;
}

function toWatchedArtist(row: Artist): WatchedArtist {
  return {
    id: row.id as ArtistId,
    platformId: row.platformId,
    name: row.name,
    followers: row.followers,
    monthlyListeners: row.monthlyListeners,
    metricsObservedAt: row.metricsObservedAt,
  };
}

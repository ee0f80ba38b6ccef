import type { Actor } from '@artist-watch/domain/account/actor';
import type { Plan } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { SHOWN_ARTIST, shownArtists } from './artist-list.js';
import { type AuditEvent, recordAudit } from './audit.js';
import { withAccountLocked } from './store.js';
import { type ArtistToWatch, beginWatches, type WatchedArtist, type WatchManyRequest } from './watch-many.js';

type WatchRequest = Omit<WatchManyRequest, 'artists'> & ArtistToWatch;

const UNLIMITED = Number.POSITIVE_INFINITY;

export interface Watched {
  readonly artist: WatchedArtist;
  readonly created: boolean;
}

export type WatchStore = ReturnType<typeof watchStore>;

export function watchStore(database: Database, intervalFactor = 1) {
  const shown = `SELECT ${SHOWN_ARTIST} FROM (${shownArtists(intervalFactor)}`;
  return {
    /**
     * Watching an artist again has no effect, even if the limit has been reached.
     * @throws NotFound (account), PlanLimitReached
     */
    watch(request: WatchRequest, once?: Once<Watched>): Promise<Watched> {
      const { accountId, platformId } = request;
      const watchOne = async (transaction: Prisma.TransactionClient, limits: Plan) => {
        const many = { ...request, artists: [request] };
        const { artists, outcomes, refusal } = await beginWatches(transaction, many, limits, intervalFactor);
        if (refusal) throw refusal;
        const artist = artists.get(platformId);
        if (!artist) throw new Error('The watched artist was not found.');
        return { artist, created: outcomes[platformId] === 'watched' };
      };
      return withAccountLocked(database, accountId, watchOne, once);
    },

    /**
     * Stops watching artists, and records a single audit event. Past changes stay in the account's feed.
     * @returns the artists.
     * @throws NotFound if the account watches none of the artists.
     */
    unwatch(accountId: AccountId, artistIds: readonly ArtistId[], now: Date, actor: Actor) {
      return withAccountLocked(database, accountId, async (transaction) => {
        const artists = await transaction.$queryRaw<EndedWatch['artists']>`
          SELECT id, name FROM artists
           WHERE id = ANY(${artistIds}) AND id IN (SELECT artist_id FROM watches WHERE account_id = ${accountId})
           ORDER BY platform_id COLLATE "C" FOR NO KEY UPDATE`;
        if (artists.length === 0) throw new NotFound('artist');
        await endWatches(transaction, { accountId, artists, actor, now });
        return artists;
      });
    },

    /**
     * Replaces a merged artist with its target, including in groups and destination rules.
     * @throws NotFound if the account does not watch the artist, Conflict if it is not merged.
     */
    followMerge(
      request: { readonly accountId: AccountId; readonly artistId: ArtistId; readonly by: Actor; readonly now: Date },
      once?: Once<WatchedArtist>,
    ) {
      const { accountId, artistId, by, now } = request;
      return withAccountLocked(
        database,
        accountId,
        async (transaction, limits) => {
          const merge = await lockMerge(transaction, accountId, artistId);
          if (merge.mergedInto === null) throw new Conflict('This artist is not merged into another one.');
          const groups = await transaction.groupedArtist.findMany({ where: { accountId, artistId } });
          await endWatches(transaction, { accountId, artists: [merge], actor: by, now });
          const { platform, mergedInto: platformId } = merge;
          const many = { accountId, platform, artists: [{ platformId }], by, now };
          const { artists } = await beginWatches(transaction, many, { ...limits, artists: UNLIMITED }, intervalFactor);
          const artist = artists.get(platformId);
          if (!artist) throw new Error('The watched artist was not found.');
          const data = groups.map((row) => ({ ...row, artistId: artist.id }));
          await transaction.groupedArtist.createMany({ data, skipDuplicates: true });
          await transaction.$executeRaw`
            UPDATE destinations
               SET artist_ids = ARRAY(SELECT DISTINCT unnest(array_replace(artist_ids, ${artistId}, ${artist.id})))
             WHERE account_id = ${accountId} AND ${artistId} = ANY(artist_ids)`;
          return artist;
        },
        once,
      );
    },

    /** Oldest watch first. */
    async list(accountId: AccountId, now: Date): Promise<WatchedArtist[]> {
      const text = `${shown} ORDER BY w.id OFFSET 0) shown`;
      return (await database.pool.query<WatchedArtist>(text, [accountId, now])).rows;
    },
  };
}

interface EndedWatch {
  readonly accountId: AccountId;
  /** At least one. */
  readonly artists: ReadonlyArray<{ readonly id: string; readonly name: string }>;
  readonly actor: Actor;
  readonly now: Date;
}

async function endWatches(
  transaction: Prisma.TransactionClient,
  { accountId, artists, actor, now }: EndedWatch,
): Promise<void> {
  const ids = artists.map(({ id }) => id);
  await transaction.watch.deleteMany({ where: { accountId, artistId: { in: ids } } });
  await transaction.artist.updateMany({
    where: { id: { in: ids }, watches: { none: {} } },
    data: { nextPollAt: null },
  });
  const [first, ...others] = artists;
  const isOne = first && others.length === 0;
  const subject = isOne ? first : { id: null, name: `${artists.length} artists` };
  const details: NonNullable<AuditEvent['details']> = isOne
    ? {}
    : { artist_ids: ids, artists: artists.map(({ name }) => name) };
  await recordAudit(transaction, { accountId, actor, action: 'artist.unwatched', subject, details, now });
}

interface MergedArtist {
  readonly id: ArtistId;
  readonly name: string;
  readonly platform: Platform;
  readonly mergedInto: string | null;
}

/**
 * Locks artists in the same order as known-artists.ts does.
 * @throws NotFound
 */
async function lockMerge(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  artistId: ArtistId,
): Promise<MergedArtist> {
  const locked = await transaction.$queryRaw<MergedArtist[]>`
    SELECT a.id, a.name, a.platform::text AS platform, a.merged_into AS "mergedInto"
      FROM artists a
     WHERE a.id = ${artistId}
        OR (a.platform, a.platform_id) = (SELECT platform, merged_into FROM artists WHERE id = ${artistId})
     ORDER BY a.platform_id COLLATE "C" FOR NO KEY UPDATE`;
  const isWatched = (await transaction.watch.count({ where: { accountId, artistId } })) > 0;
  const artist = locked.find(({ id }) => id === artistId);
  if (!artist || !isWatched) throw new NotFound('artist');
  return artist;
}

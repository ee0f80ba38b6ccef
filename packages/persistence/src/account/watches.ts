import type { ShownArtist } from '@artist-watch/contracts/api/artist';
import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import { artistsUsed, newWatchesPerDay, type Plan } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId, WatchId } from '@artist-watch/domain/ids';
import { NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { COUNT_WATCHES, SHOWN_ARTIST, shownArtists } from './artist-list.js';
import { recordAudit } from './audit.js';
import { withAccountLocked } from './lock.js';

export interface WatchedArtist extends ShownArtist {
  readonly id: ArtistId;
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
  /** The operator unless given. */
  readonly by?: Actor;
  readonly now: Date;
}

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
      const { accountId, platform, platformId, by: actor = OPERATOR, now } = request;
      return withAccountLocked(database, accountId, async (transaction, { limits }) => {
        await once?.begin(transaction);
        const where = { accountId, artist: { platform, platformId } };
        const earlier = await transaction.watch.findFirst({ where, select: { artistId: true } });
        const artistId = earlier?.artistId ?? (await begin(transaction, request, limits, intervalFactor));
        const artist = await showOne(transaction, accountId, artistId, now);
        if (!artist) throw new Error('A watch shows no artist.');
        if (!earlier) {
          const subject = { id: artist.id, name: artist.name };
          await recordAudit(transaction, { accountId, actor, action: 'artist.watched', subject, now });
        }
        const watched = { artist, created: !earlier };
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

/** @returns the artist's id. @throws PlanLimitReached */
async function begin(
  transaction: Prisma.TransactionClient,
  request: WatchRequest,
  limits: Plan,
  intervalFactor: number,
): Promise<string> {
  const { watchId, accountId, now } = request;
  await requireRoom(transaction, accountId, limits, now);
  const artistId = await schedule(transaction, request, limits.pollIntervalMs * intervalFactor);
  await transaction.watch.create({ data: { id: watchId, accountId, artistId, createdAt: now } });
  return artistId;
}

/** Takes one of the day's new watches. @throws PlanLimitReached */
async function requireRoom(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  limits: Plan,
  now: Date,
): Promise<void> {
  type Counted = { watches: number; withoutArtist: number };
  const [counted] = await transaction.$queryRawUnsafe<Counted[]>(COUNT_WATCHES, accountId, now.toISOString());
  if (!counted || artistsUsed(counted, limits) >= limits.artists) throw new PlanLimitReached('artists', limits.artists);
  const limit = newWatchesPerDay(limits);
  const taken = await transaction.$executeRaw`
    INSERT INTO watch_allowances AS a (account_id, day, used)
    VALUES (${accountId}, ${now.toISOString().slice(0, 10)}::date, 1)
    ON CONFLICT (account_id, day) DO UPDATE SET used = a.used + 1 WHERE a.used < ${limit}`;
  if (taken === 0) throw new PlanLimitReached('new watches a day', limit);
}

/**
 * SQL of when an artist is read next that one more account follows, in an upsert whose new row has the instant of the
 * watch there.
 *
 * @param pollIntervalMs SQL of the interval of the new follower's plan.
 */
export function scheduledFor(pollIntervalMs: string): string {
  return `CASE
    WHEN artists.incomplete_polls > 0 AND artists.next_poll_at IS NOT NULL THEN artists.next_poll_at
    ELSE least(artists.next_poll_at,
               greatest(excluded.next_poll_at, artists.last_polled_at + ${pollIntervalMs} * interval '1 millisecond'))
  END`;
}

/**
 * Makes the artist if it is new, and schedules its reading: at once when it was never read, else no sooner than the
 * interval of the new follower's plan after the last reading, however often it was followed and left in between. Holds
 * the artist's row, so that the last one to leave cannot stop the polling under the feet of the first one to come.
 */
async function schedule(
  transaction: Prisma.TransactionClient,
  { artistId, platform, platformId, name, now }: WatchRequest,
  pollIntervalMs: number,
): Promise<string> {
  const [artist] = await transaction.$queryRawUnsafe<{ id: string }[]>(
    `INSERT INTO artists (id, platform, platform_id, name, created_at, next_poll_at)
     VALUES ($1, $2::platform, $3, $4, $5::timestamptz, $5::timestamptz)
     ON CONFLICT (platform, platform_id) DO UPDATE SET next_poll_at = ${scheduledFor('$6::float8')}
     RETURNING id`,
    artistId,
    platform,
    platformId,
    name ?? platformId,
    now.toISOString(),
    pollIntervalMs,
  );
  if (!artist) throw new Error('An upsert returned no row.');
  return artist.id;
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

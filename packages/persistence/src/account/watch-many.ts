import type { ShownArtist } from '@artist-watch/contracts/api/artist';
import { type Actor, OPERATOR } from '@artist-watch/domain/account/actor';
import { artistsUsed, newWatchesPerDay, type Plan } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { PlanLimitReached } from '@artist-watch/domain/refusals';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { COUNT_WATCHES, SHOWN_ARTIST, shownArtists, WATCHED_AMONG } from './artist-list.js';
import { actorName } from './audit.js';
import { withAccountLocked } from './store.js';

export interface WatchedArtist extends ShownArtist {
  readonly id: ArtistId;
}

export interface ArtistToWatch {
  readonly platformId: string;
  /** Default: the platform id, which is used until the first complete observation. */
  readonly name?: string | undefined;
}

export type WatchOutcomes = Readonly<Record<string, 'watched' | 'already_watched' | 'limit_reached'>>;

export interface WatchManyResult {
  readonly outcomes: WatchOutcomes;
  /** Artists by requested platform id. A merged artist maps to its target. */
  readonly artists: ReadonlyMap<string, WatchedArtist>;
  readonly refusal: PlanLimitReached | undefined;
}

export interface WatchManyRequest {
  readonly accountId: AccountId;
  readonly platform: Platform;
  readonly artists: readonly ArtistToWatch[];
  /** Default: the operator. */
  readonly by?: Actor;
  readonly now: Date;
}

/**
 * Accepts artists in the given order until a limit is reached.
 * @throws NotFound (account)
 */
export function watchMany(
  database: Database,
  intervalFactor: number,
  request: WatchManyRequest,
  once?: Once<WatchManyResult>,
): Promise<WatchManyResult> {
  const watch = (transaction: Prisma.TransactionClient, limits: Plan) =>
    beginWatches(transaction, request, limits, intervalFactor);
  return withAccountLocked(database, request.accountId, watch, once);
}

/** The caller must have locked the account's row. */
export async function beginWatches(
  transaction: Prisma.TransactionClient,
  { accountId, platform, artists, by = OPERATOR, now }: WatchManyRequest,
  limits: Plan,
  intervalFactor: number,
): Promise<WatchManyResult> {
  const requestedIds = artists.map(({ platformId }) => platformId);
  const targets = await transaction.$queryRawUnsafe<{ platformId: string; mergedInto: string }[]>(
    MERGED_AMONG,
    accountId,
    platform,
    requestedIds,
  );
  const mergedInto = new Map(targets.map((one) => [one.platformId, one.mergedInto]));
  const mergeTarget = (platformId: string) => mergedInto.get(platformId) ?? platformId;
  const ids = [...new Set(requestedIds.map(mergeTarget))];
  const rows = await transaction.$queryRawUnsafe<{ platformId: string }[]>(WATCHED_AMONG, accountId, platform, ids);
  const watched = new Set(rows.map(({ platformId }) => platformId));
  const byId = new Map(
    artists.map((one) => [mergeTarget(one.platformId), { ...one, platformId: mergeTarget(one.platformId) }]),
  );
  const unwatched = [...byId.values()].filter(({ platformId }) => !watched.has(platformId));
  const { places, newWatches } = await remainingCapacity(transaction, accountId, limits, now);
  const accepted = unwatched.slice(0, Math.max(0, Math.min(places, newWatches)));
  const pollIntervalMs = limits.pollIntervalMs * intervalFactor;
  if (accepted.length > 0) await insert(transaction, { accountId, platform, by, now }, accepted, pollIntervalMs);
  const acceptedIds = new Set(accepted.map(({ platformId }) => platformId));
  const outcomeOf = (id: string) =>
    watched.has(id) ? 'already_watched' : acceptedIds.has(id) ? 'watched' : 'limit_reached';
  const shown = await transaction.$queryRawUnsafe<WatchedArtist[]>(
    `SELECT ${SHOWN_ARTIST}
       FROM (${shownArtists(intervalFactor)} AND a.platform = $3::platform AND a.platform_id = ANY($4::text[])) shown`,
    accountId,
    now.toISOString(),
    platform,
    ids,
  );
  return {
    outcomes: Object.fromEntries(requestedIds.map((platformId) => [platformId, outcomeOf(mergeTarget(platformId))])),
    artists: new Map(
      requestedIds.flatMap((platformId) => {
        const artist = shown.find((one) => one.platformId === mergeTarget(platformId));
        return artist ? [[platformId, artist] as const] : [];
      }),
    ),
    refusal: accepted.length === unwatched.length ? undefined : limitError(limits, places <= newWatches),
  };
}

function limitError(limits: Plan, isFull: boolean): PlanLimitReached {
  return isFull
    ? new PlanLimitReached('artists', limits.artists)
    : new PlanLimitReached('new artists a day', newWatchesPerDay(limits));
}

const MERGED_AMONG = `
  SELECT a.platform_id AS "platformId", a.merged_into AS "mergedInto" FROM artists a
   WHERE a.platform = $2::platform AND a.platform_id = ANY($3::text[]) AND a.merged_into IS NOT NULL
     AND NOT EXISTS (SELECT FROM watches w WHERE w.artist_id = a.id AND w.account_id = $1)`;

async function remainingCapacity(transaction: Prisma.TransactionClient, accountId: AccountId, limits: Plan, now: Date) {
  type Counted = { watches: number; withoutArtist: number };
  const [counted] = await transaction.$queryRawUnsafe<Counted[]>(COUNT_WATCHES, accountId, now.toISOString());
  const [begun] = await transaction.$queryRaw<{ used: number }[]>`
    SELECT used FROM watch_allowances WHERE account_id = ${accountId} AND day = ${dayOf(now)}::date`;
  return {
    places: counted ? limits.artists - artistsUsed(counted, limits) : 0,
    newWatches: newWatchesPerDay(limits) - (begun?.used ?? 0),
  };
}

/** SQL for the time of an artist's next poll. Watching the same artist again doesn't cause extra polls. */
const SCHEDULED_FOR = `CASE
  WHEN artists.incomplete_polls > 0 AND artists.next_poll_at IS NOT NULL THEN artists.next_poll_at
  ELSE least(artists.next_poll_at, greatest(excluded.next_poll_at, artists.last_polled_at + $7::float8 * interval '1 millisecond'))
END`;

/** A caller's fast clock must not delay the first poll (docs/adr/0043). */
const NOT_AFTER_NOW = 'least($6::timestamptz, now())';

/** Locks artists in the same order as known-artists.ts does, so that a concurrent unwatch cannot stop the polling. */
async function insert(
  transaction: Prisma.TransactionClient,
  { accountId, platform, by, now }: Required<Omit<WatchManyRequest, 'artists'>>,
  accepted: readonly ArtistToWatch[],
  pollIntervalMs: number,
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO watch_allowances AS a (account_id, day, used) VALUES (${accountId}, ${dayOf(now)}::date, ${accepted.length})
    ON CONFLICT (account_id, day) DO UPDATE SET used = a.used + excluded.used`;
  await transaction.$executeRawUnsafe(
    `WITH wanted AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS u (platform_id, name, artist_id, watch_id)
     ), made AS (
       INSERT INTO artists (id, platform, platform_id, name, created_at, next_poll_at)
       SELECT artist_id, $5::platform, platform_id, name, $6::timestamptz, ${NOT_AFTER_NOW}
         FROM wanted ORDER BY platform_id COLLATE "C"
       ON CONFLICT (platform, platform_id) DO UPDATE SET next_poll_at = ${SCHEDULED_FOR}
       RETURNING id, platform_id, name
     ), audited AS (
       INSERT INTO audit_events (id, account_id, at, actor_kind, actor_id, actor_name, action, subject_id, subject_name, details)
       SELECT new_id('aud', $6::timestamptz), $8, $6::timestamptz, $9, $10, ${actorName('$9', '$10', '$11')}, 'artist.watched',
              CASE WHEN count(*) = 1 THEN min(id) END,
              CASE WHEN count(*) = 1 THEN min(name) ELSE count(*) || ' artists' END,
              CASE WHEN count(*) = 1 THEN '{}' ELSE
                jsonb_build_object('artist_ids', jsonb_agg(id ORDER BY name), 'artists', jsonb_agg(name ORDER BY name)) END
         FROM made)
     INSERT INTO watches (id, account_id, artist_id, created_at)
     SELECT wanted.watch_id, $8, made.id, ${NOT_AFTER_NOW} FROM made JOIN wanted USING (platform_id)`,
    accepted.map((one) => one.platformId),
    accepted.map((one) => one.name ?? one.platformId),
    accepted.map(newArtistId),
    accepted.map(() => newId('wat', now)),
    platform,
    now.toISOString(),
    pollIntervalMs,
    accountId,
    by.kind,
    by.id,
    by.name,
  );
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

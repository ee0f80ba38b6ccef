import {
  type ArtistDetail,
  artistFilterSchema,
  presentArtist,
  presentArtistDay,
  presentCheck,
  presentRelease,
  type watchArtistSchema,
} from '@artist-watch/contracts/api/artist';
import {
  type ArtistSearchItems,
  type BulkLine,
  bulkWatchSchema,
  presentCandidate,
} from '@artist-watch/contracts/api/artist-search';
import { ApiError, invalidParam } from '@artist-watch/contracts/api/errors';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/fields';
import { ARTIST_OPERATIONS } from '@artist-watch/contracts/api/operations/artist-operations';
import { toActor } from '@artist-watch/domain/account/actor';
import { historyStart } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import { toCheck } from '@artist-watch/domain/detection/check';
import type { ChangeId, WatchId } from '@artist-watch/domain/ids';
import { parseArtistAddress } from '@artist-watch/domain/platform/platform-address';
import { isPlatformId, PLATFORM_ID_FORMS } from '@artist-watch/domain/platform/platform-id';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import { artistList, watchedAmong } from '@artist-watch/persistence/account/artist-list';
import {
  type ArtistToWatch,
  type WatchedArtist,
  type WatchManyResult,
  watchMany,
} from '@artist-watch/persistence/account/watch-many';
import { type Watched, watchStore } from '@artist-watch/persistence/account/watches';
import { artistReads, readArtistDays, readChecks } from '@artist-watch/persistence/artist/artist-reads';
import { bulkWatch, csvLines, decodeLines, type Line } from '@artist-watch/track-lookup/bulk-watch';
import { parseShortLink } from '@artist-watch/track-lookup/short-links';
import { z } from 'zod';
import { type ApiRequest, parseBody, type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';
import { historyHeader, reachOf } from '../../application/change-range.js';
import { answerPage, linkToNext, openCursor, refuseOtherFilter } from '../../application/list-page.js';

const presentWatched = ({ artist, created }: Watched) => jsonAnswer(created ? 201 : 200, presentArtist(artist));
const presentFollowed = (artist: WatchedArtist) => jsonAnswer(200, presentArtist(artist));
const presentLines = (data: readonly BulkLine[]) => jsonAnswer(200, { data, next_cursor: null });

const listContent = z.tuple([z.string(), artistFilterSchema]);
const offsetContent = z.tuple([z.int().nonnegative()]);

export function artistRoutes(parts: RouteParts): Route[] {
  const { reads, writes, platform, intervalFactor, confirmation, cursorSeal } = parts;
  const list = artistList(reads, intervalFactor);
  const artists = artistReads(reads, intervalFactor);
  const watches = watchStore(writes, intervalFactor);
  const search = parts.tools.artists;
  return routesOf(ARTIST_OPERATIONS, {
    async listArtists({ principal: { accountId }, query, now, baseUrl }) {
      const { limit, cursor, ...asked } = query;
      const scope = `artists:${accountId}`;
      const [after, earlier] = openCursor(cursorSeal, scope, cursor, listContent) ?? [];
      if (earlier) refuseOtherFilter(earlier, asked);
      const filter = earlier ?? asked;
      const request = { ...filter, accountId, after: after as WatchId | undefined, limit, now };
      const { itemsJson, next } = await list.readPage(request);
      const nextCursor = next ? cursorSeal.close(scope, [next, filter]) : null;
      const body = `{"data":${itemsJson},"next_cursor":${JSON.stringify(nextCursor)}}`;
      const link = linkToNext(`${baseUrl}${ARTIST_OPERATIONS.listArtists.path}`, query, nextCursor);
      return { status: 200, body, headers: link };
    },

    async watchArtist({ principal, now, once, readBody }) {
      const body = await readBody();
      const link = body.url === undefined ? undefined : parseShortLink(body.url, platform);
      const platformId = link ? await search.artistAt(link, principal, now) : artistOf(body, platform);
      const watch = { accountId: principal.accountId, platform, platformId, by: toActor(principal), now };
      return presentWatched(await watches.watch(watch, once(presentWatched)));
    },

    async searchArtists({ principal, query: { q }, now }) {
      // Replaces control characters with spaces, because no name contains them. A blank name matches nothing.
      const name = q.replace(/[\p{Cc}\s]+/gu, ' ').trim();
      const found = name === '' ? [] : await search.find(name, principal, now);
      const ids = found.map(({ platformId }) => platformId);
      const watched = await watchedAmong(reads.pool, principal.accountId, platform, ids);
      const data = found.map((one) => ({ ...presentCandidate(one), artist_id: watched.get(one.platformId) ?? null }));
      return jsonAnswer(200, { data, next_cursor: null } satisfies ArtistSearchItems);
    },

    async watchArtists(request) {
      const { principal, now, once } = request;
      const by = { accountId: principal.accountId, platform, by: toActor(principal), now };
      const parts = {
        platform,
        find: (name: string) => search.find(name, principal, now),
        artistAt: (link: URL) => search.artistAt(link, principal, now),
        watch: (wanted: readonly ArtistToWatch[], answered: (watched: WatchManyResult) => BulkLine[]) =>
          watchMany(
            writes,
            intervalFactor,
            { ...by, artists: wanted },
            once((watched) => presentLines(answered(watched))),
          ),
      };
      return presentLines(await bulkWatch(parts, await linesOf(request)));
    },

    async followMerge({ principal, id: artistId, now, once }) {
      const request = { accountId: principal.accountId, artistId, by: toActor(principal), now };
      return presentFollowed(await watches.followMerge(request, once(presentFollowed)));
    },

    async unwatchArtist({ principal, id: artistId, now }) {
      await watches.unwatch(principal.accountId, [artistId], now, toActor(principal));
      return NO_CONTENT;
    },

    async showArtist({ principal: { accountId, plan }, id: artistId, now }) {
      const artist = await artists.show({ accountId, artistId }, historyStart(plan, now), now);
      const detail: ArtistDetail = { ...presentArtist(artist), counts: artist.counts };
      return jsonAnswer(200, detail);
    },

    async readArtistMetrics({ principal: { accountId, plan }, id: artistId, query, now }) {
      const reach = reachOf(query.since ?? historyStart(plan, now), plan, now);
      const data = (await readArtistDays(reads, intervalFactor, { accountId, artistId, plan }, reach.since)).map(
        presentArtistDay,
      );
      return jsonAnswer(200, { data, next_cursor: null }, historyHeader(reach));
    },

    /** Using an offset is safe here, because the list changes only when a change is confirmed. */
    async listArtistReleases({ principal: { accountId }, id: artistId, query, baseUrl }) {
      const { limit = MAX_PAGE_ITEMS, cursor } = query;
      const scope = `releases:${accountId}:${artistId}`;
      const [offset = 0] = openCursor(cursorSeal, scope, cursor, offsetContent) ?? [];
      const { releases, nextOffset } = await artists.releases({ accountId, artistId }, { offset, limit });
      const next_cursor = nextOffset === undefined ? null : cursorSeal.close(scope, [nextOffset]);
      const data = releases.map((release) => presentRelease(platform, release));
      const link = linkToNext(`${baseUrl}/artists/${artistId}/releases`, query, next_cursor);
      return jsonAnswer(200, { data, next_cursor }, link);
    },

    listArtistChecks: ({ principal: { accountId }, id: artistId, query, baseUrl }) =>
      answerPage(
        cursorSeal,
        { url: `${baseUrl}/artists/${artistId}/checks`, scope: `checks:${accountId}:${artistId}`, query },
        ({ after, limit }) => readChecks(reads, { accountId, artistId, after: after as ChangeId | undefined, limit }),
        (one) => presentCheck(one, toCheck(one.suspicion, confirmation)),
      ),
  });
}

const NO_ARTIST = {
  not_an_address: '"url" is not a link to an artist.',
  other_platform: '"url" is a link to another platform. This service watches only one.',
  other_kind: '"url" is a link to something other than an artist.',
} as const;

export function artistOf({ platform_id: id, url }: z.output<typeof watchArtistSchema>, platform: Platform): string {
  if (url !== undefined) {
    const address = parseArtistAddress(url, platform);
    if (address.kind === 'artist') return address.artistId;
    throw invalidParam('unsupported_url', 'url', NO_ARTIST[address.reason]);
  }
  // The first observation will show whether the artist exists.
  if (id !== undefined && isPlatformId(platform, id)) return id;
  throw invalidParam('invalid_input', 'platform_id', `"platform_id" ${PLATFORM_ID_FORMS[platform]}.`);
}

async function linesOf(request: ApiRequest<typeof ARTIST_OPERATIONS.watchArtists>): Promise<readonly Line[]> {
  if (request.mediaType !== 'text/csv') {
    const { artists } = await request.readBody();
    return artists.map((text, index) => ({ number: index + 1, text }));
  }
  const lines = parseCsv(await request.readBytes());
  parseBody(bulkWatchSchema, { artists: lines.map(({ text }) => text) });
  return lines;
}

function parseCsv(bytes: Uint8Array): Line[] {
  try {
    return csvLines(decodeLines(bytes));
  } catch (error) {
    throw new ApiError('invalid_input', 'The body is not CSV in UTF-8 (RFC 4180).', { operatorText: String(error) });
  }
}

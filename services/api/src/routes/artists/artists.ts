import { type ArtistStatus, artistFilterSchema, presentArtist } from '@artist-watch/contracts/api/artist';
import type { ArtistDetail } from '@artist-watch/contracts/api/artist-detail';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { artistIdSchema, limitOfWholeSchema } from '@artist-watch/contracts/api/identifiers';
import * as operations from '@artist-watch/contracts/api/operations/artist-operations';
import type { Principal } from '@artist-watch/domain/account/actor';
import { oldestOf } from '@artist-watch/domain/account/plans';
import type { ArtistId, WatchId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistList } from '@artist-watch/persistence/account/artist-list';
import type { ArtistReads } from '@artist-watch/persistence/artist/artist-reads';
import { z } from 'zod';
import { linkToNext } from '../../adapters/http/answer/link-to-next.js';
import { pathId } from '../../adapters/http/request/input.js';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { Route } from '../../adapters/http/route.js';
import { type CursorSeal, openCursor } from '../../application/reading/cursor-seal.js';

export interface ArtistFilter {
  readonly status?: ArtistStatus;
  readonly q?: string;
}

export interface ListArtistsInput {
  readonly filter: ArtistFilter;
  /** Undefined: all of them. */
  readonly limit: number | undefined;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** @throws ApiError `invalid_input` (a filter), `invalid_limit`, `invalid_cursor` */
export function parseListArtists(query: URLSearchParams): ListArtistsInput {
  const { shape } = artistFilterSchema;
  const status = queryParameter(query, 'status', shape.status.unwrap(), 'invalid_input');
  const q = queryParameter(query, 'q', shape.q.unwrap(), 'invalid_input');
  return {
    filter: { ...(status !== undefined && { status }), ...(q !== undefined && { q }) },
    limit: queryParameter(query, 'limit', limitOfWholeSchema, 'invalid_limit'),
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

export interface ArtistsPage {
  /** The body as it is sent. */
  readonly body: string;
  readonly nextCursor: string | null;
}

const contentSchema = z.tuple([z.string(), artistFilterSchema]);

/** The artists that the account watches, oldest watch first. */
export async function listArtists(
  { artists, cursorSeal }: { readonly artists: ArtistList; readonly cursorSeal: CursorSeal },
  { accountId }: Principal,
  { filter: asked, limit, cursor }: ListArtistsInput,
  now: Date,
): Promise<ArtistsPage> {
  const scope = `artists:${accountId}`;
  const [after, earlier] = cursor === undefined ? [] : openCursor(cursorSeal, scope, cursor, contentSchema);
  if (earlier) refuseOtherFilter(earlier, asked);
  const filter = earlier ?? asked;
  const { itemsJson, next } = await artists.readPage({
    ...filter,
    accountId,
    after: after as WatchId | undefined,
    limit,
    now,
  });
  const nextCursor = next ? cursorSeal.close(scope, [next, filter]) : null;
  return { body: `{"data":${itemsJson},"next_cursor":${JSON.stringify(nextCursor)}}`, nextCursor };
}

/** A cursor goes on with the list that it came from, and other filters make another list. */
function refuseOtherFilter(earlier: z.output<typeof artistFilterSchema>, asked: ArtistFilter): void {
  for (const name of ['status', 'q'] as const) {
    if (asked[name] === undefined || asked[name] === earlier[name]) continue;
    throw new ApiError('invalid_cursor', '"cursor" belongs to a list with other filters; leave the filters out.');
  }
}

export function listArtistsRoute(ports: { readonly artists: ArtistList; readonly cursorSeal: CursorSeal }): Route {
  return {
    operation: operations.listArtists,
    async answer({ principal, query, now }) {
      const { body, nextCursor } = await listArtists(ports, principal, parseListArtists(query), now);
      // The cursor knows its filters.
      return { status: 200, body, headers: linkToNext(operations.listArtists.path, query, nextCursor, ['limit']) };
    },
  };
}

export function showArtistRoute(artists: ArtistReads): Route {
  return {
    operation: operations.showArtist,
    async answer({ principal: { accountId, plan }, now, parameters }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      const artist = await artists.show({ accountId, artistId }, oldestOf(plan, now), now);
      const detail: ArtistDetail = { ...presentArtist(artist), counts: artist.counts };
      return jsonAnswer(200, detail);
    },
  };
}

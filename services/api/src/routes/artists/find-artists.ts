import {
  type ArtistSearchItems,
  type BulkLine,
  bulkWatchSchema,
  presentCandidate,
  searchTextSchema,
} from '@artist-watch/contracts/api/artist-search';
import { ApiError } from '@artist-watch/contracts/api/errors';
import * as operations from '@artist-watch/contracts/api/operations/artist-operations';
import type { Actor } from '@artist-watch/domain/account/actor';
import { actorOf } from '@artist-watch/domain/account/actor';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistToWatch, WatchedMany } from '@artist-watch/persistence/account/watch-many';
import type { Once } from '@artist-watch/persistence/idempotency-store';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import { csvLines, type Line } from '@artist-watch/track-lookup/artist/artist-lines';
import type { ArtistSearch } from '@artist-watch/track-lookup/artist/artist-search';
import { bulkWatch, NAMES_DEADLINE_MS } from '@artist-watch/track-lookup/artist/bulk-watch';
import { parseBody } from '../../adapters/http/request/input.js';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { ApiRequest, Route } from '../../adapters/http/route.js';

export function searchArtistsRoute(ports: {
  readonly search: ArtistSearch;
  readonly watchedAmong: (
    accountId: AccountId,
    platformIds: readonly string[],
  ) => Promise<ReadonlyMap<string, ArtistId>>;
}): Route {
  const { search, watchedAmong } = ports;
  return {
    operation: operations.searchArtists,
    async answer({ principal, query, now }) {
      const q = queryParameter(query, 'q', searchTextSchema, 'invalid_input');
      if (q === undefined) throw new ApiError('invalid_input', '"q" is missing: the name to search for.');
      // No name has control characters, and nobody is called by nothing.
      const name = q.replace(/[\p{Cc}\s]+/gu, ' ').trim();
      const found = name === '' ? [] : await search.find(name, principal, now);
      const watched = await watchedAmong(
        principal.accountId,
        found.map(({ platformId }) => platformId),
      );
      const data = found.map((one) => ({ ...presentCandidate(one), artist_id: watched.get(one.platformId) ?? null }));
      return jsonAnswer(200, { data, next_cursor: null } satisfies ArtistSearchItems);
    },
  };
}

const present = (data: readonly BulkLine[]) => jsonAnswer(200, { data, next_cursor: null });

export function bulkWatchRoute(ports: {
  readonly platform: Platform;
  readonly search: ArtistSearch;
  readonly monotonicMs: () => number;
  readonly watchMany: (
    request: {
      readonly accountId: AccountId;
      readonly artists: readonly ArtistToWatch[];
      readonly by: Actor;
      readonly now: Date;
    },
    once?: Once<WatchedMany>,
  ) => Promise<WatchedMany>;
}): Route {
  const { platform, search, monotonicMs, watchMany } = ports;
  return {
    operation: operations.watchArtists,
    async answer(request) {
      const { principal, now, once } = request;
      const { accountId } = principal;
      const lines = await readLines(request);
      const data = await bulkWatch(
        {
          platform,
          monotonicMs,
          namesDeadlineMs: NAMES_DEADLINE_MS,
          find: (name) => search.find(name, principal, now),
          watch: (artists, linesOf) =>
            watchMany(
              { accountId, artists, by: actorOf(principal), now },
              once((watched) => present(linesOf(watched))),
            ),
          newIds: () => ({ watchId: newId('wat', now), artistId: newArtistId() }),
        },
        lines,
      );
      return present(data);
    },
  };
}

/** @throws ApiError */
async function readLines({ mediaType, readBytes, readJson }: ApiRequest): Promise<readonly Line[]> {
  if (mediaType !== 'text/csv') {
    const { artists } = parseBody(bulkWatchSchema, await readJson());
    return artists.map((text, index) => ({ number: index + 1, text }));
  }
  const lines = parseCsv(await readBytes());
  // The same rule, and the same sentence, as for JSON.
  parseBody(bulkWatchSchema, { artists: lines.map(({ text }) => text) });
  return lines;
}

function parseCsv(bytes: Uint8Array): Line[] {
  try {
    return csvLines(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ApiError('invalid_input', 'The body is not CSV in UTF-8 (RFC 4180).', { operatorText: String(error) });
  }
}

import { type ArtistSearchItems, presentCandidate, searchTextSchema } from '@artist-watch/contracts/api/artist-search';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { searchArtists as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistSearch } from '@artist-watch/track-lookup/artist/artist-search';
import { queryParameter } from '../../../adapters/http/request/query-parameter.js';
import type { Route } from '../../../adapters/http/route.js';

export function searchArtistsRoute(ports: {
  readonly search: ArtistSearch;
  readonly watchedAmong: (
    accountId: AccountId,
    platformIds: readonly string[],
  ) => Promise<ReadonlyMap<string, ArtistId>>;
}): Route {
  const { search, watchedAmong } = ports;
  return {
    operation,
    async answer({ identity, query, now }) {
      const q = queryParameter(query, 'q', searchTextSchema, 'invalid_input');
      if (q === undefined) throw new ApiError('invalid_input', '"q" is missing: the name to search for.');
      // No name has control characters, and nobody is called by nothing.
      const name = q.replace(/[\p{Cc}\s]+/gu, ' ').trim();
      const found = name === '' ? [] : await search.find(name, identity, now);
      const watched = await watchedAmong(
        identity.accountId,
        found.map(({ platformId }) => platformId),
      );
      const data = found.map((one) => ({ ...presentCandidate(one), artist_id: watched.get(one.platformId) ?? null }));
      return jsonAnswer(200, { data, next_cursor: null } satisfies ArtistSearchItems);
    },
  };
}

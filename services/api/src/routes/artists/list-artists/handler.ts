import { listArtists as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import type { ArtistList } from '@artist-watch/persistence/account/artist-list';
import { linkToNext } from '../../../adapters/http/answer/link-to-next.js';
import type { Route } from '../../../adapters/http/route.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { listArtists } from './query.js';
import { parseListArtists } from './schema.js';

export function listArtistsRoute(ports: { readonly artists: ArtistList; readonly cursorSeal: CursorSeal }): Route {
  return {
    operation,
    async answer({ identity, query, now }) {
      const { body, nextCursor } = await listArtists(ports, identity, parseListArtists(query), now);
      // The cursor knows its filters.
      return { status: 200, body, headers: linkToNext(operation.path, query, nextCursor, ['limit']) };
    },
  };
}

import type { Route } from '../../adapters/http/route.js';
import type { ArtistList } from '../../application/ports.js';
import { listArtists } from './query.js';

/** `GET /v1/artists` (SPEC section 4). */
export function listArtistsRoute(artists: ArtistList): Route {
  return {
    method: 'GET',
    path: '/v1/artists',
    async answer({ identity }) {
      return { status: 200, json: await listArtists(artists, identity) };
    },
  };
}

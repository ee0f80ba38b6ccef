import { listArtists as operation } from '@artist-watch/contracts/api/operations/account-operations';
import type { Route } from '../../../adapters/http/route.js';
import type { ArtistList } from '../../../application/reading/ports.js';
import { listArtists } from './query.js';

export function listArtistsRoute(artists: ArtistList): Route {
  return {
    operation,
    async answer({ identity, now }) {
      return { status: 200, json: await listArtists(artists, identity, now) };
    },
  };
}

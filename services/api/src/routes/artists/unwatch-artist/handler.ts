import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import { unwatchArtist as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import type { ArtistId } from '@artist-watch/domain/ids';
import { NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { WatchStore } from '@artist-watch/persistence/account/watches';
import { pathId } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { actorOf } from '../../../application/access/identity.js';

export function unwatchArtistRoute(watches: WatchStore): Route {
  return {
    operation,
    async answer({ identity, now, parameters }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      await watches.unwatch(identity.accountId, { artistId }, now, actorOf(identity));
      return NO_CONTENT;
    },
  };
}

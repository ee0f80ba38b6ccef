import { presentArtist } from '@artist-watch/contracts/api/artist';
import { watchArtist as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import type { Platform } from '@artist-watch/domain/catalogue';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { WatchStore } from '@artist-watch/persistence/account/watches';
import type { Route } from '../../../adapters/http/route.js';
import { actorOf } from '../../../application/access/identity.js';
import { parseWatchArtist } from './schema.js';

export function watchArtistRoute(ports: {
  readonly watches: WatchStore;
  /** The one platform that is watched here. */
  readonly platform: Platform;
}): Route {
  const { watches, platform } = ports;
  return {
    operation,
    async answer({ identity, now, newIds, idempotencyRecord, readJson }) {
      const { artist, created } = await watches.watch(
        {
          watchId: newIds.id('wat'),
          accountId: identity.accountId,
          artistId: newIds.artistId(),
          platform,
          platformId: parseWatchArtist(await readJson(), platform),
          by: actorOf(identity),
          now,
        },
        idempotencyRecord,
      );
      return jsonAnswer(created ? 201 : 200, presentArtist(artist));
    },
  };
}

import { presentArtist } from '@artist-watch/contracts/api/artist';
import { watchArtist as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import type { Platform } from '@artist-watch/domain/catalogue';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { Watched, WatchStore } from '@artist-watch/persistence/account/watches';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import type { Route } from '../../../adapters/http/route.js';
import { actorOf } from '../../../application/access/identity.js';
import { parseWatchArtist } from './schema.js';

const present = ({ artist, created }: Watched) => jsonAnswer(created ? 201 : 200, presentArtist(artist));

export function watchArtistRoute(ports: {
  readonly watches: WatchStore;
  /** The one platform that is watched here. */
  readonly platform: Platform;
}): Route {
  const { watches, platform } = ports;
  return {
    operation,
    async answer({ identity, now, once, readJson }) {
      const watched = await watches.watch(
        {
          watchId: newId('wat', now),
          accountId: identity.accountId,
          artistId: newArtistId(),
          platform,
          platformId: parseWatchArtist(await readJson(), platform),
          by: actorOf(identity),
          now,
        },
        once(present),
      );
      return present(watched);
    },
  };
}

import { presentArtist, watchArtistSchema } from '@artist-watch/contracts/api/artist';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import * as operations from '@artist-watch/contracts/api/operations/artist-operations';
import { actorOf } from '@artist-watch/domain/account/actor';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import { parseArtistAddress } from '@artist-watch/domain/platform/platform-address';
import { isPlatformId, PLATFORM_ID_FORMS } from '@artist-watch/domain/platform/platform-id';
import { jsonAnswer, NO_CONTENT } from '@artist-watch/http/answer/answer';
import type { Watched, WatchStore } from '@artist-watch/persistence/account/watches';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import { parseBody, pathId } from '../../adapters/http/request/input.js';
import type { Route } from '../../adapters/http/route.js';

const MESSAGES = {
  not_an_address: '"url" is not the address of an artist.',
  other_platform: '"url" is an address of another platform than the one that is watched here.',
  other_kind: '"url" is not the address of an artist, but of something else.',
} as const;

/**
 * The platform id of the artist that the body means.
 *
 * @throws ApiError `invalid_input`, `unsupported_url`
 */
export function parseWatchArtist(json: unknown, platform: Platform): string {
  const { platform_id: platformId, url } = parseBody(watchArtistSchema, json);
  if (url !== undefined) {
    const address = parseArtistAddress(url, platform);
    if (address.kind === 'artist') return address.artistId;
    throw new ApiError('unsupported_url', MESSAGES[address.reason]);
  }
  // Whether an artist has it, the first reading will tell.
  if (platformId !== undefined && isPlatformId(platform, platformId)) return platformId;
  throw new ApiError('invalid_input', `"platform_id" ${PLATFORM_ID_FORMS[platform]}.`);
}

const present = ({ artist, created }: Watched) => jsonAnswer(created ? 201 : 200, presentArtist(artist));

export function watchArtistRoute(ports: {
  readonly watches: WatchStore;
  /** The one platform that is watched here. */
  readonly platform: Platform;
}): Route {
  const { watches, platform } = ports;
  return {
    operation: operations.watchArtist,
    async answer({ principal, now, once, readJson }) {
      const watched = await watches.watch(
        {
          watchId: newId('wat', now),
          accountId: principal.accountId,
          artistId: newArtistId(),
          platform,
          platformId: parseWatchArtist(await readJson(), platform),
          by: actorOf(principal),
          now,
        },
        once(present),
      );
      return present(watched);
    },
  };
}

export function unwatchArtistRoute(watches: WatchStore): Route {
  return {
    operation: operations.unwatchArtist,
    async answer({ principal, now, parameters }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      await watches.unwatch(principal.accountId, { artistId }, now, actorOf(principal));
      return NO_CONTENT;
    },
  };
}

import { presentArtist } from '@artist-watch/contracts/api/artist';
import type { ArtistDetail } from '@artist-watch/contracts/api/artist-detail';
import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import { showArtist as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import type { ArtistId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistReads } from '@artist-watch/persistence/artist/artist-reads';
import { pathId } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { oldestOf } from '../../../application/reading/history.js';

export function showArtistRoute(artists: ArtistReads): Route {
  return {
    operation,
    async answer({ identity: { accountId, plan }, now, parameters }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      const artist = await artists.show({ accountId, artistId }, oldestOf(plan, now), now);
      const detail: ArtistDetail = { ...presentArtist(artist), counts: artist.counts };
      return jsonAnswer(200, detail);
    },
  };
}

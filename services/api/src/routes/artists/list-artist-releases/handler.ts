import { presentRelease } from '@artist-watch/contracts/api/artist-detail';
import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import { listArtistReleases as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistReads } from '@artist-watch/persistence/artist/artist-reads';
import { z } from 'zod';
import { linkToNext } from '../../../adapters/http/answer/link-to-next.js';
import { pathId } from '../../../adapters/http/request/input.js';
import { pageParameters } from '../../../adapters/http/request/query-parameter.js';
import type { Route } from '../../../adapters/http/route.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { openCursor } from '../../../application/reading/page-cursor.js';

const contentSchema = z.tuple([z.int().nonnegative()]);

/** Pages by place: the list changes only with what was confirmed. */
export function listArtistReleasesRoute(ports: {
  readonly artists: ArtistReads;
  readonly cursorSeal: CursorSeal;
  readonly platform: Platform;
}): Route {
  const { artists, cursorSeal, platform } = ports;
  return {
    operation,
    async answer({ identity: { accountId }, parameters, query }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      const { limit, cursor } = pageParameters(query);
      const scope = `releases:${accountId}:${artistId}`;
      const [offset] = cursor === undefined ? [0] : openCursor(cursorSeal, scope, cursor, contentSchema);
      const { releases, nextOffset } = await artists.releases({ accountId, artistId }, { offset, limit });
      const next_cursor = nextOffset === undefined ? null : cursorSeal.close(scope, [nextOffset]);
      const data = releases.map((release) => presentRelease(platform, release));
      const path = operation.path.replace('{id}', artistId);
      return jsonAnswer(200, { data, next_cursor }, linkToNext(path, query, next_cursor, ['limit']));
    },
  };
}

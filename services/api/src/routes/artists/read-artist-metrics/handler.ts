import type { ArtistDay } from '@artist-watch/contracts/api/artist-detail';
import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import { readArtistMetrics as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import type { ArtistId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistDays } from '@artist-watch/persistence/artist/artist-checks';
import { pathId } from '../../../adapters/http/request/input.js';
import { queryParameter } from '../../../adapters/http/request/query-parameter.js';
import type { Route } from '../../../adapters/http/route.js';
import { oldestOf, reachOf } from '../../../application/reading/history.js';

export function readArtistMetricsRoute(days: ArtistDays): Route {
  return {
    operation,
    async answer({ identity: { accountId, plan }, now, parameters, query }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      const asked = queryParameter(query, 'since', sinceSchema, 'invalid_since');
      const { since, clamped } = reachOf(asked ?? oldestOf(plan, now), plan, now);
      const read = await days.read({ accountId, artistId, plan }, since);
      const data = read.map(
        ({ monthlyListeners: monthly_listeners, completeReadings: complete_readings, ...day }): ArtistDay => ({
          ...day,
          monthly_listeners,
          complete_readings,
        }),
      );
      const headers: Record<string, string> = clamped ? { 'X-History-Since': since.toISOString() } : {};
      return jsonAnswer(200, { data, next_cursor: null }, headers);
    },
  };
}

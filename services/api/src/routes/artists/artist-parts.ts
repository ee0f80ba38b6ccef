import { type ArtistDay, presentCheck, presentRelease } from '@artist-watch/contracts/api/artist-detail';
import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import * as operations from '@artist-watch/contracts/api/operations/artist-operations';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import { oldestOf } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import { checkOf } from '@artist-watch/domain/detection/check';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistChecks, ArtistDays } from '@artist-watch/persistence/artist/artist-checks';
import type { ArtistReads } from '@artist-watch/persistence/artist/artist-reads';
import { z } from 'zod';
import { linkToNext } from '../../adapters/http/answer/link-to-next.js';
import { pathId } from '../../adapters/http/request/input.js';
import { pageParameters, queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { Route } from '../../adapters/http/route.js';
import { type CursorSeal, openCursor } from '../../application/reading/cursor-seal.js';
import { reachOf } from '../../application/reading/history.js';

const afterSchema = z.tuple([z.string()]);

export function listArtistChecksRoute(ports: {
  readonly checks: ArtistChecks;
  readonly cursorSeal: CursorSeal;
  /** Rule R, as change-ingest has it. */
  readonly settings: ConfirmationSettings;
}): Route {
  const { checks, cursorSeal, settings } = ports;
  return {
    operation: operations.listArtistChecks,
    async answer({ principal: { accountId }, parameters, query }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      const { limit, cursor } = pageParameters(query);
      const scope = `checks:${accountId}:${artistId}`;
      const [after] = cursor === undefined ? [] : openCursor(cursorSeal, scope, cursor, afterSchema);
      const read = await checks.list({
        accountId,
        artistId,
        after: after as ChangeId | undefined,
        // One more than the page, to know whether others follow.
        limit: limit + 1,
      });
      const page = read.slice(0, limit);
      const last = read.length > limit ? page.at(-1) : undefined;
      const next_cursor = last ? cursorSeal.close(scope, [last.id]) : null;
      const data = page.map((one) => presentCheck(one, checkOf(one.suspicion, settings)));
      const path = operations.listArtistChecks.path.replace('{id}', artistId);
      return jsonAnswer(200, { data, next_cursor }, linkToNext(path, query, next_cursor, ['limit']));
    },
  };
}

const offsetSchema = z.tuple([z.int().nonnegative()]);

/** Pages by place: the list changes only with what was confirmed. */
export function listArtistReleasesRoute(ports: {
  readonly artists: ArtistReads;
  readonly cursorSeal: CursorSeal;
  readonly platform: Platform;
}): Route {
  const { artists, cursorSeal, platform } = ports;
  return {
    operation: operations.listArtistReleases,
    async answer({ principal: { accountId }, parameters, query }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      const { limit, cursor } = pageParameters(query);
      const scope = `releases:${accountId}:${artistId}`;
      const [offset] = cursor === undefined ? [0] : openCursor(cursorSeal, scope, cursor, offsetSchema);
      const { releases, nextOffset } = await artists.releases({ accountId, artistId }, { offset, limit });
      const next_cursor = nextOffset === undefined ? null : cursorSeal.close(scope, [nextOffset]);
      const data = releases.map((release) => presentRelease(platform, release));
      const path = operations.listArtistReleases.path.replace('{id}', artistId);
      return jsonAnswer(200, { data, next_cursor }, linkToNext(path, query, next_cursor, ['limit']));
    },
  };
}

export function readArtistMetricsRoute(days: ArtistDays): Route {
  return {
    operation: operations.readArtistMetrics,
    async answer({ principal: { accountId, plan }, now, parameters, query }) {
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

import { presentCheck } from '@artist-watch/contracts/api/artist-detail';
import { artistIdSchema } from '@artist-watch/contracts/api/identifiers';
import { listArtistChecks as operation } from '@artist-watch/contracts/api/operations/artist-operations';
import { checkOf } from '@artist-watch/domain/detection/check';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ArtistChecks } from '@artist-watch/persistence/artist/artist-checks';
import { z } from 'zod';
import { linkToNext } from '../../../adapters/http/answer/link-to-next.js';
import { pathId } from '../../../adapters/http/request/input.js';
import { pageParameters } from '../../../adapters/http/request/query-parameter.js';
import type { Route } from '../../../adapters/http/route.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { openCursor } from '../../../application/reading/page-cursor.js';

const contentSchema = z.tuple([z.string()]);

export function listArtistChecksRoute(ports: {
  readonly checks: ArtistChecks;
  readonly cursorSeal: CursorSeal;
  /** Rule R, as change-ingest has it. */
  readonly settings: ConfirmationSettings;
}): Route {
  const { checks, cursorSeal, settings } = ports;
  return {
    operation,
    async answer({ identity: { accountId }, parameters, query }) {
      const artistId = pathId<ArtistId>(artistIdSchema, parameters.id, 'artist');
      const { limit, cursor } = pageParameters(query);
      const scope = `checks:${accountId}:${artistId}`;
      const [after] = cursor === undefined ? [] : openCursor(cursorSeal, scope, cursor, contentSchema);
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
      const path = operation.path.replace('{id}', artistId);
      return jsonAnswer(200, { data, next_cursor }, linkToNext(path, query, next_cursor, ['limit']));
    },
  };
}

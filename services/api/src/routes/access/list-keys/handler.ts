import { presentApiKey } from '@artist-watch/contracts/api/access';
import { listKeys as operation } from '@artist-watch/contracts/api/operations/access-operations';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { ApiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { z } from 'zod';
import { linkToNext } from '../../../adapters/http/answer/link-to-next.js';
import { pageParameters } from '../../../adapters/http/request/query-parameter.js';
import type { Route } from '../../../adapters/http/route.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { openCursor } from '../../../application/reading/page-cursor.js';

const contentSchema = z.tuple([z.string()]);

export function listKeysRoute(ports: { readonly keys: ApiKeyIssuer; readonly cursorSeal: CursorSeal }): Route {
  const { keys, cursorSeal } = ports;
  return {
    operation,
    async answer({ identity: { accountId }, query }) {
      const { limit, cursor } = pageParameters(query);
      const scope = `keys:${accountId}`;
      const [before] = cursor === undefined ? [] : openCursor(cursorSeal, scope, cursor, contentSchema);
      // One more than the page, to know whether others follow.
      const read = await keys.page({ accountId, before: before as ApiKeyId | undefined, limit: limit + 1 });
      const page = read.slice(0, limit);
      const last = read.length > limit ? page.at(-1) : undefined;
      const next_cursor = last ? cursorSeal.close(scope, [last.id]) : null;
      const body = { data: page.map(presentApiKey), next_cursor };
      return jsonAnswer(200, body, linkToNext(operation.path, query, next_cursor, ['limit']));
    },
  };
}

import { listChanges as operation } from '@artist-watch/contracts/api/operations/change-operations';
import type { FeedStore } from '@artist-watch/persistence/change/feed-store';
import { linkToNext } from '../../../adapters/http/answer/link-to-next.js';
import type { Route } from '../../../adapters/http/route.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { listChanges } from './query.js';
import { parseListChanges } from './schema.js';

/** `since`, a `since` before the history, paging: docs/reference/api.md. */
export function listChangesRoute(ports: { readonly feed: FeedStore; readonly cursorSeal: CursorSeal }): Route {
  return {
    operation,
    async answer({ identity, query, now }) {
      const { body, nextCursor, historySince } = await listChanges(ports, identity, parseListChanges(query), now);
      return {
        status: 200,
        body,
        headers: {
          ...(historySince && { 'X-History-Since': historySince.toISOString() }),
          // The cursor knows its `since`.
          ...linkToNext(operation.path, query, nextCursor, ['limit']),
        },
      };
    },
  };
}

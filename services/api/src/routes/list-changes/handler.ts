import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/paging';
import type { Route } from '../../adapters/http/route.js';
import type { CursorSeal } from '../../application/cursor-seal.js';
import type { ChangeFeed } from '../../application/ports.js';
import { listChanges } from './query.js';
import { parseListChanges } from './schema.js';

const PATH = '/v1/changes';

/** `GET /v1/changes` (SPEC section 4, DESIGN section 4: `since`, too old `since`, paging). */
export function listChangesRoute(ports: { readonly feed: ChangeFeed; readonly cursorSeal: CursorSeal }): Route {
  return {
    method: 'GET',
    path: PATH,
    async answer({ identity, query, now }) {
      const input = parseListChanges(query);
      const { json, nextCursor, historySince } = await listChanges(ports, identity, input, now);
      return {
        status: 200,
        json,
        headers: {
          ...(historySince && { 'X-History-Since': historySince.toISOString() }),
          ...(nextCursor !== null && { Link: linkToNext(nextCursor, input.limit) }),
        },
      };
    },
  };
}

/** RFC 8288. The cursor knows its `since`. */
function linkToNext(cursor: string, limit: number): string {
  const page = limit === MAX_PAGE_ITEMS ? '' : `&limit=${limit}`;
  return `<${PATH}?cursor=${cursor}${page}>; rel="next"`;
}

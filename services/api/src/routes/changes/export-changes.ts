import {
  EXPORT_FORMATS,
  exportChunks,
  exportFileName,
  exportFormatSchema,
} from '@artist-watch/contracts/api/change-export';
import * as operations from '@artist-watch/contracts/api/operations/change-operations';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import { oldestOf } from '@artist-watch/domain/account/plans';
import { begun } from '@artist-watch/http/answer/stream-body';
import type { ChangeExports } from '@artist-watch/persistence/change/change-exports';
import { queryParameter } from '../../adapters/http/request/query-parameter.js';
import type { Route } from '../../adapters/http/route.js';
import { reachOf } from '../../application/reading/history.js';
import { parseChangeFilter } from './filter-input.js';

/** The head of the file and the first page: a fault until then is an error like any other. */
const CHUNKS_BEFORE_ANSWER = 2;

/** All changes that the filters let through, as a file. */
export function exportChangesRoute(changes: ChangeExports): Route {
  return {
    operation: operations.exportChanges,
    async answer({ principal: { accountId, plan }, query, now }) {
      const format = queryParameter(query, 'format', exportFormatSchema, 'invalid_input') ?? 'csv';
      const { filter, until } = parseChangeFilter(query);
      const asked = queryParameter(query, 'since', sinceSchema, 'invalid_since') ?? oldestOf(plan, now);
      const { since, clamped } = reachOf(asked, plan, now);
      const chunks = exportChunks(format, changes.pages({ accountId, since, until, filter }));
      return {
        type: EXPORT_FORMATS[format].type,
        chunks: await begun(chunks, CHUNKS_BEFORE_ANSWER),
        headers: {
          'Content-Disposition': `attachment; filename="${exportFileName(format, now)}"`,
          ...(clamped && { 'X-History-Since': since.toISOString() }),
        },
      };
    },
  };
}

import { ApiError } from '@artist-watch/contracts/api/api-error';
import { recoverRequestSchema } from '@artist-watch/contracts/api/destination-input';
import { parseSince, sinceSchema } from '@artist-watch/contracts/api/since';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { MissedRange } from '../../../application/management/ports.js';

/** @throws ApiError `invalid_input`, `invalid_since` */
export function parseRecover(json: unknown): MissedRange & { readonly dryRun: boolean } {
  const { since: sinceText, until: untilText, dry_run: dryRun } = parseBody(recoverRequestSchema, json);
  const since = sinceSchema.safeParse(sinceText);
  if (!since.success) {
    throw new ApiError('invalid_since', since.error.issues[0]?.message ?? '"since" is not an instant.');
  }
  const until = untilText === undefined ? undefined : parseSince(untilText);
  if (untilText !== undefined && !(until && until > since.data)) {
    throw new ApiError('invalid_input', 'until must be an RFC 3339 instant with a zone, and after since.');
  }
  return { since: since.data, until, dryRun };
}

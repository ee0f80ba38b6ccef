import { recoverRequestSchema } from '@artist-watch/contracts/api/destination-input';
import { sinceSchema } from '@artist-watch/contracts/api/since';
import { parseBody } from '../../../adapters/http/request/input.js';
import { ApiError } from '../../../application/api-error.js';

/** @throws ApiError `invalid_input`, `invalid_since` */
export function parseRecover(json: unknown): Date {
  const since = sinceSchema.safeParse(parseBody(recoverRequestSchema, json).since);
  if (since.success) return since.data;
  throw new ApiError('invalid_since', since.error.issues[0]?.message ?? '"since" is not an instant.');
}

import { z } from 'zod';
import { type JsonResponse, parseResponse } from '../http/response.js';
import { badResponse, notFound, quotaSpent, unavailable } from '../platform-error.js';

const errorSchema = z.object({
  error: z.object({ type: z.string().optional(), message: z.string().optional(), code: z.coerce.number().optional() }),
});

/** Error codes of the API, from developers.deezer.com/api/errors. */
const QUOTA = 4;
const SERVICE_BUSY = 700;
const DATA_NOT_FOUND = 800;

/** The quota is counted over 5 s, and the error does not say how much time is left. */
const QUOTA_PAUSE_MS = 5_000;

/**
 * Interprets a Deezer response. Deezer sends its errors with HTTP 200, and only code 800 means that the entity does not
 * exist. The API never sends a 404 itself, so a 404 says nothing about the catalogue.
 */
export function interpretDeezer<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
): (response: JsonResponse) => z.output<Schema> {
  return ({ status, body }) => {
    if (status !== 200) throw badResponse(`${what}: ${status}`);
    const failed = errorSchema.safeParse(body);
    if (failed.success) throw toPlatformError(what, failed.data.error);
    return parseResponse(schema, what, body);
  };
}

function toPlatformError(what: string, { code, message }: z.output<typeof errorSchema>['error']) {
  switch (code) {
    case DATA_NOT_FOUND:
      return notFound(what);
    case QUOTA:
      return quotaSpent(`${what}: ${message}`, QUOTA_PAUSE_MS);
    case SERVICE_BUSY:
      return unavailable(`${what}: ${message}`);
    default:
      return badResponse(`${what}: error ${code} (${message})`);
  }
}

import { z } from 'zod';
import { type JsonAnswer, parseAnswer } from '../http/answer.js';
import { badAnswer, notFound, quotaSpent, unavailable } from '../platform-error.js';

const errorSchema = z.object({
  error: z.object({ type: z.string().optional(), message: z.string().optional(), code: z.coerce.number().optional() }),
});

/** developers.deezer.com/api/errors */
const QUOTA = 4;
const SERVICE_BUSY = 700;
const DATA_NOT_FOUND = 800;

/** The quota counts over 5 s and the error does not say how much of them is left. */
const QUOTA_PAUSE_MS = 5_000;

/**
 * Reads a Deezer answer. Its errors come inside HTTP 200, and only code 800 is about the thing that was asked for; a 404
 * is never the API's own, so it says nothing about the catalogue either.
 */
export function interpretDeezer<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
): (answer: JsonAnswer) => z.output<Schema> {
  return ({ status, body }) => {
    if (status !== 200) throw badAnswer(`${what}: ${status}`);
    const failed = errorSchema.safeParse(body);
    if (failed.success) throw toPlatformError(what, failed.data.error);
    return parseAnswer(schema, what, body);
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
      return badAnswer(`${what}: error ${code} (${message})`);
  }
}

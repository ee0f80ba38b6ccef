import { z } from 'zod';
import { type JsonAnswer, parseAnswer } from '../http/json-answer.js';
import { badAnswer, notFound } from '../platform-error.js';

/** The regular error object. A 404 without it is a gateway's, and says nothing about the catalogue. */
const notFoundSchema = z.object({ error: z.object({ status: z.literal(404) }) });

export function interpretSpotify<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
): (answer: JsonAnswer) => z.output<Schema> {
  return ({ status, body }) => {
    if (status === 404 && notFoundSchema.safeParse(body).success) throw notFound(what);
    if (status !== 200) throw badAnswer(`${what}: ${status}`);
    return parseAnswer(schema, what, body);
  };
}

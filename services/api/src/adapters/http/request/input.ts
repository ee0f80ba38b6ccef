import { ApiError } from '@artist-watch/contracts/api/errors';
import { describeIssues } from '@artist-watch/contracts/ingest/issues';
import { NotFound } from '@artist-watch/domain/refusals';
import type { z } from 'zod';
import type { ApiRequest } from '../route.js';

/** The body as its schema has it. @throws ApiError `invalid_input`, which names every field that is wrong. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const parsed = schema.safeParse(json, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid_input', `${describeIssues(parsed.error, 'The body')}.`);
}

/** The same of a body that may be left out, and then has its defaults. */
export async function parseOptionalBody<Schema extends z.ZodType>(
  schema: Schema,
  request: Pick<ApiRequest, 'readBytes' | 'readJson'>,
): Promise<z.output<Schema>> {
  return parseBody(schema, (await request.readBytes()).length === 0 ? {} : await request.readJson());
}

/**
 * An id from the path. What does not have the form of one is not there, like one of another account.
 *
 * @param noun what it is the id of, as the sentence says it: `destination`.
 * @throws NotFound
 */
export function pathId<Id extends string>(schema: z.ZodType<string>, text: string | undefined, noun: string): Id {
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw new NotFound(noun);
  return parsed.data as Id;
}

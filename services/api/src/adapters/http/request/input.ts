import { ApiError } from '@artist-watch/contracts/api/errors';
import type { ApiOperation } from '@artist-watch/contracts/api/operations/operation';
import { describeIssues } from '@artist-watch/contracts/ingest/issues';
import type { RequestBody } from '@artist-watch/http/request/request-body';
import type { z } from 'zod';

/** The body as its schema has it. @throws ApiError `invalid_input`, which names every field that is wrong. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const parsed = schema.safeParse(json, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ApiError('invalid_input', `${describeIssues(parsed.error, 'The body')}.`);
}

/** The body of an operation. One that may be left out has its defaults then. */
export async function readBody(
  { body }: Pick<ApiOperation, 'body'>,
  { readBytes, readJson }: RequestBody,
): Promise<unknown> {
  if (!body) return undefined;
  return parseBody(body.schema, body.optional && (await readBytes()).length === 0 ? {} : await readJson());
}

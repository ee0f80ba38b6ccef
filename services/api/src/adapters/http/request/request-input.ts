import { ApiError } from '@artist-watch/contracts/api/errors';
import { type ApiOperation, errorOfParameter } from '@artist-watch/contracts/api/operations/operation';
import { describeIssues } from '@artist-watch/contracts/ingest/issues';
import type { RequestBody } from '@artist-watch/http/request/request-body';
import { z } from 'zod';

/** Of the name of an unknown query parameter. */
const MAX_SHOWN_CHARS = 64;

/**
 * Parses the query of an operation by its schema.
 *
 * @throws ApiError for a parameter that is unknown (a misspelt filter must not pass for one that lets everything
 * through), does not parse, or is there twice: nobody can say which of the two was meant.
 */
export function queryParser(operation: ApiOperation): (url: string) => Readonly<Record<string, unknown>> {
  const parameters = Object.entries<z.ZodType>(operation.query?.shape ?? {});
  const known = parameters.map(([name]) => name);
  const repeated = new Set(parameters.filter(([, type]) => isList(type)).map(([name]) => name));
  return (url) => {
    const query = new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(url)?.[1]);
    refuseUnknown(query, known);
    const parsed: Record<string, unknown> = {};
    for (const [name, type] of parameters) {
      const given = query.getAll(name);
      if (given.length === 0 && type instanceof z.ZodOptional) continue;
      const code = errorOfParameter(name);
      if (given.length > 1 && !repeated.has(name)) throw new ApiError(code, `"${name}" must be given once.`);
      // In one order and each once, so that the same filter makes the same cursor.
      const value = type.safeParse(repeated.has(name) ? [...new Set(given)].sort() : given[0]);
      if (!value.success) throw new ApiError(code, sentence(name, value.error.issues[0]?.message));
      parsed[name] = value.data;
    }
    return parsed;
  };
}

function isList(type: z.ZodType): boolean {
  return type instanceof z.ZodOptional && type.unwrap() instanceof z.ZodArray;
}

/** Some schemas say a whole sentence, others what follows the name. */
function sentence(name: string, message = 'is not what it takes'): string {
  return message.startsWith('"') ? message : `"${name}" ${message}.`;
}

function refuseUnknown(query: URLSearchParams, known: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const allowed = known.length === 0 ? 'this address takes none' : `this address takes ${known.join(', ')}`;
  throw new ApiError('invalid_input', `"${unknown.slice(0, MAX_SHOWN_CHARS)}" is not a query parameter; ${allowed}.`);
}

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

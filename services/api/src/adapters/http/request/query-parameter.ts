import { ApiError, type ApiErrorCode } from '@artist-watch/contracts/api/errors';
import { limitSchema, MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/identifiers';
import { z } from 'zod';

/**
 * One parameter of the query, parsed; undefined when it is not there.
 *
 * @throws ApiError with `code` when it does not parse or is there twice: nobody can say which of the two was meant.
 */
export function queryParameter<Output>(
  query: URLSearchParams,
  name: string,
  type: z.ZodType<Output, string>,
  code: ApiErrorCode,
): Output | undefined {
  const [text, ...others] = query.getAll(name);
  if (text === undefined) return undefined;
  if (others.length > 0) throw new ApiError(code, `"${name}" must be given once.`);
  const parsed = type.safeParse(text);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // Some schemas say a whole sentence, others what follows the name.
  throw new ApiError(code, issue?.message.startsWith('"') ? issue.message : `"${name}" ${issue?.message}.`);
}

export interface PageParameters {
  readonly limit: number;
  /** Not looked into yet. */
  readonly cursor: string | undefined;
}

/** `limit` and `cursor` of a list. @throws ApiError `invalid_limit`, `invalid_cursor` */
export function pageParameters(query: URLSearchParams): PageParameters {
  return {
    limit: queryParameter(query, 'limit', limitSchema, 'invalid_limit') ?? MAX_PAGE_ITEMS,
    cursor: queryParameter(query, 'cursor', z.string(), 'invalid_cursor'),
  };
}

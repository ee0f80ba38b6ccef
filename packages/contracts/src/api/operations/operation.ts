import type { KeyScope } from '@artist-watch/domain/account/api-key';
import type { PlanFeature } from '@artist-watch/domain/refusals';
import type { z } from 'zod';
import type { ApiErrorCode } from '../errors.js';
import type { IdNoun } from '../identifiers.js';

/**
 * A link from a response to an operation. Each parameter value is a JSON pointer into the response. For a list, it
 * points to the first item.
 */
export interface AnswerLink {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, `/${string}`>>;
  readonly description?: string;
}

/** A success response of an operation. */
export interface Success {
  readonly description: string;
  /** Absent if the response has no body (204). */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  readonly links?: Readonly<Record<string, AnswerLink>>;
  /** An example for each media type of a body that is not JSON. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Headers that only this response has. */
  readonly headers?: readonly ('X-History-Since' | 'X-Next-Cursor' | 'Content-Disposition')[];
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The input, the responses and the documentation of a route. */
interface OperationFacts {
  /** The method and the path relative to {base_url}, such as `GET /deliveries/{id}`. */
  readonly route: `${Method} /${string}`;
  readonly summary: string;
  readonly description?: string;
  /**
   * The feature of the Business plan that includes this operation. `forChannels` makes it available on other plans too.
   */
  readonly businessFeature?: PlanFeature;
  /**
   * Stays available after a downgrade while the account still has destinations or deliveries, so they can be read and
   * destinations can be deleted.
   */
  readonly keptOnDowngrade?: boolean;
  /**
   * Makes the operation available on plans with Slack and Discord. The account must have such a destination, unless the
   * operation creates one. The route itself rejects webhooks.
   */
  readonly forChannels?: 'to_make' | 'with_one';
  /** The response is streamed, so it has no ETag. */
  readonly streamed?: boolean;
  /** Accepts a feed token in the parameter `token` instead of an API key. */
  readonly takesFeedToken?: boolean;
  /** Needs no API key and sends everyone the same response. */
  readonly isPublic?: boolean;
  /** A POST that changes nothing, so the scope `read` is enough. */
  readonly readOnly?: boolean;
  /** Accepts an Idempotency-Key (docs/reference/api.md). */
  readonly idempotent?: boolean;
  /** The kind of resource that the `{id}` in the path identifies. */
  readonly of?: IdNoun;
  readonly query?: z.ZodObject;
  /** The body is a list and can have up to 128 KiB. */
  readonly takesList?: boolean;
  /** `optional`: the body can be omitted, and then has the default values. `csvExample`: the body can also be CSV. */
  readonly body?: {
    readonly schema: z.ZodType;
    readonly example: unknown;
    readonly optional?: boolean;
    readonly csvExample?: string;
  };
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204, Success>>>;
  /** Errors of this operation in addition to those implied by its method and parameters. */
  readonly errors?: readonly ApiErrorCode[];
}

/** One operation of the API. */
export interface ApiOperation extends OperationFacts {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly tag: OperationTag;
}

/** Adds the id, method, path and tag to the operations of one tag. */
export function operationsOf<const Facts extends Readonly<Record<string, OperationFacts>>>(
  tag: OperationTag,
  facts: Facts,
): { readonly [Id in keyof Facts]: ApiOperation & Facts[Id] } {
  const described = Object.entries(facts).map(([id, one]) => {
    const [method, path] = one.route.split(' ');
    return [id, { ...one, id, method, path, tag }];
  });
  return Object.fromEntries(described);
}

/** Describes a success response with a JSON body. */
export function json<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
  more: Pick<Success, 'links' | 'headers'> = {},
): Success {
  return { description, schema, example, ...more };
}

/** Describes a success response with one page of a list. @param more `next` is the cursor of the next page. */
export function page<Item extends z.ZodType>(
  description: string,
  schema: z.ZodObject<{ data: z.ZodArray<Item>; next_cursor: z.ZodType }>,
  data: z.input<Item>[],
  { next = null, ...more }: Pick<Success, 'links' | 'headers'> & { readonly next?: string | null } = {},
): Success {
  return { description, schema, example: { data, next_cursor: next }, ...more };
}

export const OPERATION_TAGS = {
  Changes: 'Confirmed changes to the watched artists.',
  Feeds: 'Changes for feed readers.',
  Artists: 'The watched artists.',
  Access: 'API keys and members.',
  Usage: 'The limits of the plan and their usage.',
  Tools: 'Lookups on the streaming platform, which are part of the Business plan.',
  Destinations:
    'Webhooks (Business plan), and Slack and Discord channels (Starter and up). ' +
    'After a downgrade, you can still read and delete destinations.',
  Deliveries:
    'Deliveries of changes to your destinations, whether sent or pending. ' +
    'After a downgrade, you can still read them.',
} as const;

export type OperationTag = keyof typeof OPERATION_TAGS;

/** Errors that every operation can return. */
export const ERRORS_OF_ALL: readonly ApiErrorCode[] = [
  'invalid_input',
  'unauthorized',
  'insufficient_scope',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

/** Errors of every operation except GET. If an operation has no body, it accepts only an empty object. */
export const ERRORS_OF_BODIES: readonly ApiErrorCode[] = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
];

/** Returns the error code for an invalid query parameter. */
export function errorOfParameter(name: string): ApiErrorCode {
  if (name === 'after') return 'invalid_cursor';
  return name === 'since' || name === 'limit' || name === 'cursor' ? `invalid_${name}` : 'invalid_input';
}

/** Errors of operations that need an API key. */
const ERRORS_OF_KEYS: readonly ApiErrorCode[] = ['unauthorized', 'insufficient_scope'];

/** Returns the scope that an API key needs for the operation. */
export function scopeOf({ method, readOnly = false }: ApiOperation): KeyScope {
  return method === 'GET' || readOnly ? 'read' : 'manage';
}

/** Returns the error codes of an operation in the given order. */
export function errorsOf(operation: ApiOperation, inOrder: readonly ApiErrorCode[]): ApiErrorCode[] {
  const codes = new Set<ApiErrorCode>([
    ...ERRORS_OF_ALL.filter((code) => !operation.isPublic || !ERRORS_OF_KEYS.includes(code)),
    ...(operation.method !== 'GET' ? ERRORS_OF_BODIES : []),
    ...(operation.idempotent ? (['idempotency_conflict'] as const) : []),
    ...(operation.businessFeature ? (['plan_required'] as const) : []),
    ...Object.keys(operation.query?.shape ?? {}).map(errorOfParameter),
    ...(operation.errors ?? []),
  ]);
  return inOrder.filter((code) => codes.has(code));
}

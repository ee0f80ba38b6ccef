import type { KeyScope } from '@artist-watch/domain/account/api-key';
import type { PlanFeature } from '@artist-watch/domain/refusals';
import type { z } from 'zod';
import type { ApiErrorCode } from '../errors.js';
import type { IdNoun } from '../identifiers.js';

/**
 * Where an answer leads: an operation, and for each of its parameters where in the answer the value stands, as a JSON
 * pointer. Of a list the first item is named, and every other one leads on in the same way.
 */
export interface AnswerLink {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, `/${string}`>>;
  readonly description?: string;
}

/** What an operation answers when it goes well. */
export interface Success {
  readonly description: string;
  /** Absent where there is no body (204). */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  readonly links?: Readonly<Record<string, AnswerLink>>;
  /** In place of JSON: an example of each media type that it may be. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Headers besides those of every answer, and besides `Link`, which every list with a cursor has. */
  readonly headers?: readonly ('X-History-Since' | 'X-Next-Cursor' | 'Content-Disposition')[];
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a route takes and answers, and what the documentation says of it. */
interface OperationFacts {
  /** The path is below {base_url}, as OpenAPI writes it: `GET /deliveries/{id}`. */
  readonly route: `${Method} /${string}`;
  readonly summary: string;
  readonly description?: string;
  /** What the Business plan alone has, but for what `forChannels` says. */
  readonly businessFeature?: PlanFeature;
  /** Below Business it still answers an account that has some of it: a customer may read and delete what he has. */
  readonly keptOnDowngrade?: boolean;
  /**
   * Open to plans with Slack and Discord destinations too: to make one, or to an account that has one. What is not theirs
   * all the same, the route refuses.
   */
  readonly forChannels?: 'to_make' | 'with_one';
  /** Answered while it is made, and so without an ETag. */
  readonly streamed?: boolean;
  /** Takes the token of a feed, as the parameter `token`, in place of an API key. */
  readonly takesFeedToken?: boolean;
  /** A POST that changes nothing: the scope `read` is enough for it. */
  readonly readOnly?: boolean;
  /** Takes an Idempotency-Key (docs/reference/api.md). */
  readonly idempotent?: boolean;
  /** What `{id}` of the path is the id of. */
  readonly of?: IdNoun;
  readonly query?: z.ZodObject;
  /** Its body is a list: up to 128 KiB. */
  readonly takesList?: boolean;
  /**
   * `optional`: what is left out has its defaults, and so has all of it in a request without a body. `csvExample`: it may
   * be CSV too.
   */
  readonly body?: {
    readonly schema: z.ZodType;
    readonly example: unknown;
    readonly optional?: boolean;
    readonly csvExample?: string;
  };
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204, Success>>>;
  /** Beyond those that every operation, and every one with such parameters, may answer with. */
  readonly errors?: readonly ApiErrorCode[];
}

/** One operation of the API. */
export interface ApiOperation extends OperationFacts {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly tag: OperationTag;
}

/** The operations of one tag, by their ids. */
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

/** A success with a JSON body. */
export function json<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
  more: Pick<Success, 'links' | 'headers'> = {},
): Success {
  return { description, schema, example, ...more };
}

/** A success with a page of a list. @param more `next` is the cursor of the next page. */
export function page<Item extends z.ZodType>(
  description: string,
  schema: z.ZodObject<{ data: z.ZodArray<Item>; next_cursor: z.ZodType }>,
  data: z.input<Item>[],
  { next = null, ...more }: Pick<Success, 'links' | 'headers'> & { readonly next?: string | null } = {},
): Success {
  return { description, schema, example: { data, next_cursor: next }, ...more };
}

export const OPERATION_TAGS = {
  Changes: 'What changed, confirmed.',
  Feeds: 'Changes for feed programs.',
  Artists: 'Which artists the account watches.',
  Access: 'Who and what gets in: API keys and members.',
  Usage: 'What the plan allows, and how much of it is used.',
  Tools: 'Look-ups on the streaming platform. Part of the Business plan.',
  Destinations:
    'Where changes are posted to: webhooks, part of the Business plan, and channels of Slack and Discord, from Starter on. After a downgrade, what is there can be read and deleted.',
  Deliveries:
    'What was posted, and what came of it. For accounts with destinations; after a downgrade, what is there can be read.',
} as const;

export type OperationTag = keyof typeof OPERATION_TAGS;

/** What any request may be answered with, whatever it asks for. */
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

/** What a request with a body may be answered with besides; those that take none refuse all but an empty object. */
export const ERRORS_OF_BODIES: readonly ApiErrorCode[] = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
];

/** What is answered where a query parameter is wrong. */
export function errorOfParameter(name: string): ApiErrorCode {
  if (name === 'after') return 'invalid_cursor';
  return name === 'since' || name === 'limit' || name === 'cursor' ? `invalid_${name}` : 'invalid_input';
}

/** The scope that a key needs for the operation. */
export function scopeOf({ method, readOnly = false }: ApiOperation): KeyScope {
  return method === 'GET' || readOnly ? 'read' : 'manage';
}

/** Every code that the operation may answer with, each once, in the order of API_ERRORS. */
export function errorsOf(operation: ApiOperation, inOrder: readonly ApiErrorCode[]): ApiErrorCode[] {
  const codes = new Set<ApiErrorCode>([
    ...ERRORS_OF_ALL,
    ...(operation.method !== 'GET' ? ERRORS_OF_BODIES : []),
    ...(operation.idempotent ? (['idempotency_conflict'] as const) : []),
    ...(operation.businessFeature ? (['plan_required'] as const) : []),
    ...Object.keys(operation.query?.shape ?? {}).map(errorOfParameter),
    ...(operation.errors ?? []),
  ]);
  return inOrder.filter((code) => codes.has(code));
}

import type { KeyScope } from '@artist-watch/domain/account/credentials';
import type { PlanFeature } from '@artist-watch/domain/refusals';
import type { z } from 'zod';
import type { ApiErrorCode } from '../errors.js';
import type { IdNoun } from '../fields.js';

/** Parameter values are JSON pointers into the response. */
export interface AnswerLink {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, `/${string}`>>;
  readonly description?: string;
}

export interface Success {
  readonly description: string;
  /** Absent for 204. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  readonly links?: Readonly<Record<string, AnswerLink>>;
  /** An example for each media type except JSON. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly headers?: readonly ('X-History-Since' | 'X-Next-Cursor' | 'Content-Disposition')[];
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface OperationFacts {
  /** For example `GET /deliveries/{id}`. The path is relative to {base_url}. */
  readonly route: `${Method} /${string}`;
  readonly summary: string;
  readonly description?: string;
  /** The operation is part of the Business plan, unless `forChannels` is set. */
  readonly businessFeature?: PlanFeature;
  /** The operation stays available after a downgrade for as long as destinations or deliveries exist. */
  readonly keptOnDowngrade?: boolean;
  /** Also available on plans with Slack and Discord. `with_one` requires an existing Slack or Discord destination. */
  readonly forChannels?: 'to_make' | 'with_one';
  /** A streamed response has no ETag. */
  readonly streamed?: boolean;
  /** Accepts a feed token in the parameter `token` instead of an API key. */
  readonly takesFeedToken?: boolean;
  /** The operation does not require an API key. */
  readonly isPublic?: boolean;
  /** Marks a POST that changes nothing, so the `read` scope is enough. */
  readonly readOnly?: boolean;
  /** Accepts an Idempotency-Key (docs/api/requests.md). */
  readonly idempotent?: boolean;
  readonly of?: IdNoun;
  readonly query?: z.ZodObject;
  /** The body is a list of up to 128 KiB. */
  readonly takesList?: boolean;
  /** If the body is optional, all its fields have defaults. If `csvExample` is set, the body can also be CSV. */
  readonly body?: {
    readonly schema: z.ZodType;
    readonly example: unknown;
    readonly optional?: boolean;
    readonly csvExample?: string;
  };
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204, Success>>>;
  /** Errors in addition to those implied by the method and parameters. */
  readonly errors?: readonly ApiErrorCode[];
}

export interface ApiOperation extends OperationFacts {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly tag: OperationTag;
}

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

export function json<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
  more: Pick<Success, 'links' | 'headers'> = {},
): Success {
  return { description, schema, example, ...more };
}

/** @param more `next` is the cursor for the next page */
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
  Groups: 'Groups of watched artists.',
  Access: 'API keys and members.',
  Usage: 'Plan limits and usage.',
  Tools: 'Lookups on the streaming platform (Business plan).',
  Destinations:
    'Webhooks (Business plan), and Slack and Discord channels (Starter and up). ' +
    'After a downgrade, you can still read and delete destinations.',
  Deliveries: 'Sent and pending deliveries to your destinations. ' + 'After a downgrade, you can still read them.',
} as const;

export type OperationTag = keyof typeof OPERATION_TAGS;

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

/** An operation without a body accepts only an empty object. */
export const ERRORS_OF_BODIES: readonly ApiErrorCode[] = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
];

export function errorOfParameter(name: string): ApiErrorCode {
  if (name === 'after') return 'invalid_cursor';
  return name === 'since' || name === 'limit' || name === 'cursor' ? `invalid_${name}` : 'invalid_input';
}

const ERRORS_OF_KEYS: readonly ApiErrorCode[] = ['unauthorized', 'insufficient_scope'];

export function scopeOf({ method, readOnly = false }: ApiOperation): KeyScope {
  return method === 'GET' || readOnly ? 'read' : 'manage';
}

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

/** Each entry lists the operation, its parameter, the response field that provides the value, and a description. */
const LINKS = {
  change: {
    change: ['showChange', 'id', 'id', 'The change with its evidence.'],
    deliveries: ['listDeliveries', 'change', 'id', 'Deliveries of the change.'],
    artist: ['showArtist', 'id', 'artist_id', 'The artist of the change.'],
  },
  delivery: {
    delivery: ['showDelivery', 'id', 'id', 'The delivery with its request and attempts.'],
    destination: ['showDestination', 'id', 'destination_id', 'The destination, or 404 if it was deleted.'],
    change: ['showChange', 'id', 'change_id', 'The change that was delivered. A test has none.'],
    resend: ['resendDelivery', 'id', 'id', 'Sends the delivery again.'],
  },
  destination: {
    destination: ['showDestination', 'id', 'id', 'The destination.'],
    deliveries: ['listDeliveries', 'destination', 'id', 'The deliveries to the destination.'],
    rotate_secret: ['rotateSecret', 'id', 'id', 'Creates the next secret.'],
    activate_secret: ['activateSecret', 'id', 'id', 'Activates the next secret.'],
  },
  artist: {
    artist: ['showArtist', 'id', 'id', 'The artist.'],
    changes: ['listChanges', 'artist_id', 'id', 'The changes to the artist and its releases and tracks.'],
    checks: ['listArtistChecks', 'id', 'id', 'Suspected changes.'],
    metrics: ['readArtistMetrics', 'id', 'id', "The artist's daily numbers."],
    releases: ['listArtistReleases', 'id', 'id', 'The releases of the artist.'],
  },
} as const;

/**
 * @param kind the resource in the response. A resource that is the whole response gets no link to itself.
 * @param place JSON pointer to the resource, which is either the whole response or the first item in a list
 */
export function linksOf(kind: keyof typeof LINKS, place: '' | '/data/0'): Readonly<Record<string, AnswerLink>> {
  const links = Object.entries(LINKS[kind]).map(([name, [operationId, parameter, field, found]]) => {
    const description = place === '' ? found : `${found} Other items have the same links.`;
    return [name, { operationId, parameters: { [parameter]: `${place}/${field}` }, description }];
  });
  return Object.fromEntries(links.filter(([name]) => place !== '' || name !== kind));
}

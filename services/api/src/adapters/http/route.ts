import type { Cidr } from '@artist-watch/address-policy/ip-address';
import {
  type ApiErrorCode,
  invalidParam,
  invalidParams,
  type ParamProblem,
  paramProblems,
} from '@artist-watch/contracts/api/errors';
import { ID_SCHEMAS, type IdNoun } from '@artist-watch/contracts/api/fields';
import { type ApiOperation, errorOfParameter } from '@artist-watch/contracts/api/operations/operation';
import type { Principal } from '@artist-watch/domain/account/actor';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { ArtistId, ChangeId, DeliveryId, DestinationId, FeedTokenId, GroupId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import type { DestinationLimits } from '@artist-watch/http/limit/rate-limit';
import type { RequestBody } from '@artist-watch/http/request/request-body';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Once } from '@artist-watch/persistence/idempotency-store';
import type { SecretBox } from '@artist-watch/persistence/secret-box';
import type { OpenTrackLookup } from '@artist-watch/track-lookup/track-lookup';
import { z } from 'zod';
import type { CursorSeal } from '../../application/list-page.js';

export const BASE_PATH = '/v1';

/** Everything that handlers need. */
export interface RouteParts {
  /** Reads and writes have separate connection pools, so that waiting writes cannot block reads. */
  readonly reads: Database;
  readonly writes: Database;
  readonly platform: Platform;
  /** `POLL_INTERVAL_FACTOR` */
  readonly intervalFactor: number;
  /** Must be the same settings as in change-ingest, because rule `absence` depends on them. */
  readonly confirmation: ConfirmationSettings;
  readonly tools: OpenTrackLookup;
  readonly box: SecretBox;
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  readonly dashboardUrl: string | undefined;
  readonly limits: DestinationLimits;
  readonly stopping: AbortSignal;
  readonly cursorSeal: CursorSeal;
}

interface Ids {
  artist: ArtistId;
  change: ChangeId;
  delivery: DeliveryId;
  destination: DestinationId;
  feed: FeedTokenId;
  group: GroupId;
}

export interface ApiRequest<Operation extends ApiOperation = ApiOperation> {
  readonly principal: Principal;
  /** Authenticates the caller again. @throws ApiError `unauthorized` */
  readonly identify: () => Promise<Principal>;
  readonly requestId: string;
  readonly now: Date;
  /** The base URL for links to the API: `API_PUBLIC_URL`, or `/v1`. */
  readonly baseUrl: string;
  /**
   * Lets a store save the response in the same transaction as its write. Undefined if the request has no
   * Idempotency-Key.
   */
  readonly once: <Result>(present: (result: Result) => Answer) => Once<Result> | undefined;
  readonly id: Operation['of'] extends IdNoun ? Ids[Operation['of']] : undefined;
  readonly query: Operation extends { readonly query: infer Query extends z.ZodObject }
    ? z.output<Query>
    : Readonly<Record<string, unknown>>;
  readonly mediaType: string;
  /** Empty if the request has no body. @throws ApiError */
  readBytes(): Promise<Uint8Array>;
  readBody(): Promise<
    Operation extends { readonly body: { readonly schema: infer Body extends z.ZodType } } ? z.output<Body> : unknown
  >;
}

type Handler<Operation extends ApiOperation> = (request: ApiRequest<Operation>) => Promise<Answer | StreamedAnswer>;

export type Handlers<Operations> = {
  readonly [Id in keyof Operations]: Operations[Id] extends ApiOperation ? Handler<Operations[Id]> : never;
};

export interface Route {
  readonly operation: ApiOperation;
  readonly answer: Handler<ApiOperation>;
}

export function routesOf<Operations extends Readonly<Record<string, ApiOperation>>>(
  operations: Operations,
  handlers: Handlers<Operations>,
): Route[] {
  const answers = handlers as unknown as Readonly<Record<string, Route['answer']>>;
  return Object.entries(operations).map(([id, operation]) => ({ operation, answer: answers[id] as Route['answer'] }));
}

/** @throws NotFound if the id is malformed, so that the response is the same as for an unknown id */
export function pathId({ of }: ApiOperation, text: string | undefined): string | undefined {
  if (of !== undefined && !ID_SCHEMAS[of].safeParse(text).success) throw new NotFound(of);
  return text;
}

const MAX_SHOWN_CHARS = 64;

/**
 * @throws ApiError that reports all unknown, invalid or repeated parameters. Otherwise a misspelled filter would return
 * everything.
 */
export function queryParser(operation: ApiOperation): (url: string) => Readonly<Record<string, unknown>> {
  const parameters = Object.entries<z.ZodType>(operation.query?.shape ?? {});
  const known = parameters.map(([name]) => name);
  const repeated = new Set(parameters.filter(([, type]) => isList(type)).map(([name]) => name));
  return (url) => {
    const query = new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(url)?.[1]);
    const problems: { readonly code: ApiErrorCode; readonly problem: ParamProblem }[] = unknownParameters(query, known);
    const parsed: Record<string, unknown> = {};
    for (const [name, type] of parameters) {
      const given = query.getAll(name);
      if (given.length === 0 && type instanceof z.ZodOptional) continue;
      const fail = (message: string) =>
        problems.push({ code: errorOfParameter(name), problem: { param: name, message } });
      if (given.length > 1 && !repeated.has(name)) {
        fail(`"${name}" must not be sent more than once.`);
        continue;
      }
      const value = type.safeParse(repeated.has(name) ? [...new Set(given)].sort() : given[0]);
      if (value.success) parsed[name] = value.data;
      else fail(sentence(name, value.error.issues[0]?.message));
    }
    const [first] = problems;
    if (first) {
      throw invalidParams(
        first.code,
        problems.map(({ problem }) => problem),
      );
    }
    refuseReversedRange(parsed);
    return parsed;
  };
}

function refuseReversedRange({ since, until }: Readonly<Record<string, unknown>>): void {
  if (!(since instanceof Date && until instanceof Date) || since <= until) return;
  throw invalidParam(errorOfParameter('since'), 'since', '"since" must not be after "until".');
}

function isList(type: z.ZodType): boolean {
  return type instanceof z.ZodOptional && type.unwrap() instanceof z.ZodArray;
}

function sentence(name: string, message = 'is invalid'): string {
  return message.startsWith('"') ? message : `"${name}" ${message}.`;
}

function unknownParameters(query: URLSearchParams, known: readonly string[]) {
  const allowed = known.length === 0 ? 'Send none.' : `Use ${known.join(', ')}.`;
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name));
  return unknown.map((name) => {
    const param = name.slice(0, MAX_SHOWN_CHARS);
    const message = `"${param}" is not a query parameter here. ${allowed}`;
    return { code: 'invalid_input' as const, problem: { param, message } };
  });
}

/** @throws ApiError `invalid_input`, which lists every invalid field */
export function parseBody<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const parsed = schema.safeParse(json, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw invalidParams('invalid_input', paramProblems(parsed.error));
}

export async function readBody(
  { body }: Pick<ApiOperation, 'body'>,
  { readBytes, readJson }: RequestBody,
): Promise<unknown> {
  if (!body) return undefined;
  return parseBody(body.schema, body.optional && (await readBytes()).length === 0 ? {} : await readJson());
}

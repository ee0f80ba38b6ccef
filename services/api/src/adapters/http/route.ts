import { ApiError } from '@artist-watch/contracts/api/errors';
import { ID_SCHEMAS, type IdNoun } from '@artist-watch/contracts/api/identifiers';
import { type ApiOperation, errorOfParameter } from '@artist-watch/contracts/api/operations/operation';
import { describeIssues } from '@artist-watch/contracts/ingest/issues';
import type { Principal } from '@artist-watch/domain/account/actor';
import type { ArtistId, ChangeId, DeliveryId, DestinationId, FeedTokenId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import type { RequestBody } from '@artist-watch/http/request/request-body';
import type { Once } from '@artist-watch/persistence/idempotency-store';
import { z } from 'zod';

/** {base_url} ends with it. */
export const BASE_PATH = '/v1';

interface Ids {
  artist: ArtistId;
  change: ChangeId;
  delivery: DeliveryId;
  destination: DestinationId;
  feed: FeedTokenId;
}

/** A request as a route sees it: let in, counted, meant for this route, and parsed by the schemas of its operation. */
export interface ApiRequest<Operation extends ApiOperation = ApiOperation> {
  readonly principal: Principal;
  /** Looks the caller up again, within the age of a known key. @throws ApiError `unauthorized` */
  readonly identify: () => Promise<Principal>;
  readonly requestId: string;
  /** The instant that everything in this request is decided by. */
  readonly now: Date;
  /**
   * For the store that does what the request asks for: it keeps the answer, which `present` makes of the result, in the
   * same transaction. Undefined for a request without an Idempotency-Key.
   */
  readonly once: <Result>(present: (result: Result) => Answer) => Once<Result> | undefined;
  /** The `{id}` of the path. */
  readonly id: Operation['of'] extends IdNoun ? Ids[Operation['of']] : undefined;
  readonly query: Operation extends { readonly query: infer Query extends z.ZodObject }
    ? z.output<Query>
    : Readonly<Record<string, unknown>>;
  /** Of the body: in lower case, without parameters. */
  readonly mediaType: string;
  /** The bytes of the body, none when there is none. Throws the ApiError that says what is wrong with it. */
  readBytes(): Promise<Uint8Array>;
  /** The JSON body. Throws the ApiError that says what is wrong with it. */
  readBody(): Promise<
    Operation extends { readonly body: { readonly schema: infer Body extends z.ZodType } } ? z.output<Body> : unknown
  >;
}

type Handler<Operation extends ApiOperation> = (request: ApiRequest<Operation>) => Promise<Answer | StreamedAnswer>;

/** What answers each of the operations: the compiler names one without a handler. */
export type Handlers<Operations> = {
  readonly [Id in keyof Operations]: Operations[Id] extends ApiOperation ? Handler<Operations[Id]> : never;
};

/** What answers an operation, after its plan was checked. */
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

/** The id in a path. What does not have the form of one is not there, like one of another account. @throws NotFound */
export function pathId({ of }: ApiOperation, text: string | undefined): string | undefined {
  if (of !== undefined && !ID_SCHEMAS[of].safeParse(text).success) throw new NotFound(of);
  return text;
}

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
    refuseReversedRange(parsed);
    return parsed;
  };
}

function refuseReversedRange({ since, until }: Readonly<Record<string, unknown>>): void {
  if (!(since instanceof Date && until instanceof Date) || since <= until) return;
  throw new ApiError(errorOfParameter('since'), '"since" must not be after "until".');
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

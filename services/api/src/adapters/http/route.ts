import { ID_SCHEMAS, type IdNoun } from '@artist-watch/contracts/api/identifiers';
import type { ApiOperation } from '@artist-watch/contracts/api/operations/operation';
import type { Principal } from '@artist-watch/domain/account/actor';
import type { ArtistId, ChangeId, DeliveryId, DestinationId, FeedTokenId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import type { Once } from '@artist-watch/persistence/idempotency-store';
import type { z } from 'zod';

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

/** {base_url} ends with it. */
export const BASE_PATH = '/v1';

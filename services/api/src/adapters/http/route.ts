import type { ApiOperation } from '@artist-watch/contracts/api/operations/operation';
import type { Principal } from '@artist-watch/domain/account/actor';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import type { Once } from '@artist-watch/persistence/idempotency-store';

/** A request as a route sees it: let in, counted, and meant for this route. */
export interface ApiRequest {
  readonly principal: Principal;
  readonly requestId: string;
  /** The instant that everything in this request is decided by. */
  readonly now: Date;
  /**
   * For the store that does what the request asks for: it keeps the answer, which `present` makes of the result, in the
   * same transaction. Undefined for a request without an Idempotency-Key.
   */
  readonly once: <Result>(present: (result: Result) => Answer) => Once<Result> | undefined;
  /** Parts of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Of the body: in lower case, without parameters. */
  readonly mediaType: string;
  /** The bytes of the body, none when there is none. Throws the ApiError that says what is wrong with it. */
  readBytes(): Promise<Uint8Array>;
  /** The body as JSON. Throws the ApiError that says what is wrong with it. */
  readJson(): Promise<unknown>;
}

/** What answers an operation, after its plan was checked. */
export interface Route {
  readonly operation: ApiOperation;
  answer(request: ApiRequest): Promise<Answer | StreamedAnswer>;
}

/** {base_url} ends with it. */
export const BASE_PATH = '/v1';

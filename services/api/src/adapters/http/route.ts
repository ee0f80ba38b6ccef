import type { ApiOperation } from '@artist-watch/contracts/api/operations/operation';
import type { Answer, StreamedAnswer } from '@artist-watch/http/answer/answer';
import type { IdempotencyRecord } from '@artist-watch/persistence/idempotency-store';
import type { Identity } from '../../application/access/identity.js';
import type { NewIds } from '../../application/management/deterministic-ids.js';

/** A request as a route sees it: let in, counted, and meant for this route. */
export interface ApiRequest {
  readonly identity: Identity;
  readonly requestId: string;
  /** The instant that everything in this request is decided by. */
  readonly now: Date;
  /** New ids and secrets: for a repeat of a request with an Idempotency-Key the same ones. */
  readonly newIds: NewIds;
  /** Of a request with an Idempotency-Key: it goes to what is done once, however often the request is made. */
  readonly idempotencyRecord?: IdempotencyRecord;
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

import type { Identity } from '../../application/ports.js';
import type { Answer } from './answer.js';

/** A request as a route sees it: let in, counted, and meant for this route. */
export interface ApiRequest {
  readonly identity: Identity;
  readonly requestId: string;
  /** The instant that everything in this request is decided by. */
  readonly now: Date;
  /** Parts of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body as JSON. Throws the ApiError that says what is wrong with it. */
  readJson(): Promise<unknown>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As express writes it: `/v1/deliveries/:id`. */
  readonly path: string;
  /** What the Business plan alone has, as a sentence names it: `Destinations`. */
  readonly businessFeature?: string;
  answer(request: ApiRequest): Promise<Answer>;
}

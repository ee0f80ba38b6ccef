import { z } from 'zod';
import { type JsonResponse, parseResponse } from '../http/response.js';
import { badResponse, notFound } from '../platform-error.js';

/** Spotify's regular error object. A 404 without it comes from a gateway and says nothing about the catalogue. */
const notFoundSchema = z.object({ error: z.object({ status: z.literal(404) }) });

export function interpretSpotify<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
): (response: JsonResponse) => z.output<Schema> {
  return ({ status, body }) => {
    if (status === 404 && notFoundSchema.safeParse(body).success) throw notFound(what);
    if (status !== 200) throw badResponse(`${what}: ${status}`);
    return parseResponse(schema, what, body);
  };
}

/**
 * The result if Spotify rejects this kind of request. Since February 2026, Spotify rejects some kinds of request from
 * apps in development mode. A rejection says nothing about the requested entities.
 */
export const REJECTED = Symbol('rejected kind of request');

/** Returns REJECTED instead of throwing, so that a rejected request is neither retried nor counted as an error. */
export function unlessRejected<Result>(
  isRejection: (response: JsonResponse) => boolean,
  interpret: (response: JsonResponse) => Result,
): (response: JsonResponse) => Result | typeof REJECTED {
  return (response) => (isRejection(response) ? REJECTED : interpret(response));
}

/**
 * True if Spotify may have rejected the page size. Spotify does not always say "Invalid limit", and the body may be
 * empty, so any 400 counts. A second request with a smaller page then shows whether the size was the problem.
 */
export function rejectsPageSize({ status }: JsonResponse): boolean {
  return status === 400;
}

const forbiddenSchema = z.object({ error: z.object({ status: z.literal(403) }) });
const noSuchAddressSchema = z.object({
  error: z.object({ status: z.literal(404), message: z.literal('Service not found') }),
});

/**
 * True if Spotify's own error body rejects the batch. An error from a gateway, or about one of the entities, does not
 * count, because it may be temporary.
 */
export function rejectsBatch({ status, body }: JsonResponse): boolean {
  if (status === 403) return forbiddenSchema.safeParse(body).success;
  return status === 404 && noSuchAddressSchema.safeParse(body).success;
}

/** Time until a rejected kind of request is tried again. An app can enter or leave extended quota mode at any time. */
const RETRY_AFTER_MS = 3_600_000;

/**
 * Remembers whether Spotify accepts a kind of request that apps in development mode are not allowed to send: large
 * pages, or several ids at once. Spotify does not reveal an app's mode, so we try the request. After a rejection, we do
 * not try it again for an hour.
 */
export class Capability {
  readonly #clock: { now(): Date };
  #rejectedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: { now(): Date }) {
    this.#clock = clock;
  }

  get shouldTry(): boolean {
    return this.#clock.now().getTime() >= this.#rejectedUntilMs;
  }

  /** Records a rejection. */
  markRejected(): void {
    this.#rejectedUntilMs = this.#clock.now().getTime() + RETRY_AFTER_MS;
  }
}

import { z } from 'zod';
import { type JsonResponse, parseResponse } from '../http/response.js';
import { badResponse, notFound } from '../platform-error.js';

/** The regular error object. A 404 without it comes from a gateway, and says nothing about the catalogue. */
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
 * Spotify rejects some kinds of requests from apps in development mode (since February 2026). The rejection is about
 * the request, and says nothing about the requested entities.
 */
export const REJECTED = Symbol('Spotify rejects this kind of request');

/**
 * Returns REJECTED if Spotify rejects this kind of request. A rejection is not an error, so it is neither retried nor
 * counted as one.
 */
export function unlessRejected<Result>(
  isRejection: (response: JsonResponse) => boolean,
  interpret: (response: JsonResponse) => Result,
): (response: JsonResponse) => Result | typeof REJECTED {
  return (response) => (isRejection(response) ? REJECTED : interpret(response));
}

/**
 * Spotify does not always say "Invalid limit", and the body may be empty. The next request, for a smaller page, shows
 * whether the limit was the problem.
 */
export function rejectsPageSize({ status }: JsonResponse): boolean {
  return status === 400;
}

const forbiddenSchema = z.object({ error: z.object({ status: z.literal(403) }) });
const noSuchAddressSchema = z.object({
  error: z.object({ status: z.literal(404), message: z.literal('Service not found') }),
});

/** Accepts only Spotify's own error body. Errors of a gateway, or about one of the entities, may be temporary. */
export function rejectsBatch({ status, body }: JsonResponse): boolean {
  if (status === 403) return forbiddenSchema.safeParse(body).success;
  return status === 404 && noSuchAddressSchema.safeParse(body).success;
}

/** An app can enter or leave extended quota mode at any time. */
const RETRY_AFTER_MS = 3_600_000;

/**
 * A kind of request that apps in development mode may not send: large pages, or several ids at once. Spotify does not
 * show an app's mode, so we try the request, and after a rejection don't try it for an hour.
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

  /** Call this after a rejection. */
  markRejected(): void {
    this.#rejectedUntilMs = this.#clock.now().getTime() + RETRY_AFTER_MS;
  }
}

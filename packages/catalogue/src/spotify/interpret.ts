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
 * Spotify refuses some kinds of requests from apps in development mode (since February 2026). The refusal is about the
 * request, and says nothing about the requested entities.
 */
export const REFUSED = Symbol('Spotify refuses this kind of request');

/**
 * Returns REFUSED if Spotify refuses this kind of request. A refusal is not an error, so it is neither retried nor
 * counted as one.
 */
export function unlessRefused<Result>(
  isRefusal: (response: JsonResponse) => boolean,
  interpret: (response: JsonResponse) => Result,
): (response: JsonResponse) => Result | typeof REFUSED {
  return (response) => (isRefusal(response) ? REFUSED : interpret(response));
}

/**
 * Spotify does not always say "Invalid limit", and the body may be empty. The next request, for a smaller page, shows
 * whether the limit was the problem.
 */
export function refusesPageSize({ status }: JsonResponse): boolean {
  return status === 400;
}

const forbiddenSchema = z.object({ error: z.object({ status: z.literal(403) }) });
const noSuchAddressSchema = z.object({
  error: z.object({ status: z.literal(404), message: z.literal('Service not found') }),
});

/** Accepts only Spotify's own error body. Errors of a gateway, or about one of the entities, may be temporary. */
export function refusesBatch({ status, body }: JsonResponse): boolean {
  if (status === 403) return forbiddenSchema.safeParse(body).success;
  return status === 404 && noSuchAddressSchema.safeParse(body).success;
}

/** An app can enter or leave extended quota mode at any time. */
const RETRY_AFTER_MS = 3_600_000;

/**
 * A kind of request that apps in development mode may not send: large pages, or several ids at once. Spotify does not
 * show an app's mode, so we try the request, and after a refusal don't try it for an hour.
 */
export class Capability {
  readonly #clock: { now(): Date };
  #refusedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: { now(): Date }) {
    this.#clock = clock;
  }

  get shouldTry(): boolean {
    return this.#clock.now().getTime() >= this.#refusedUntilMs;
  }

  /** Call this after a refusal. */
  markRefused(): void {
    this.#refusedUntilMs = this.#clock.now().getTime() + RETRY_AFTER_MS;
  }
}

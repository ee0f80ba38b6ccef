import { z } from 'zod';
import { type JsonResponse, parseResponse } from '../http/response.js';
import { badResponse, notFound } from '../platform-error.js';

/** A 404 without Spotify's error object comes from a gateway and proves nothing. */
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

/** Since February 2026, Spotify rejects some kinds of request from apps in development mode. */
export const REJECTED = Symbol('rejected kind of request');

/** A rejected request is neither retried nor counted as an error. */
export function unlessRejected<Result>(
  isRejection: (response: JsonResponse) => boolean,
  interpret: (response: JsonResponse) => Result,
): (response: JsonResponse) => Result | typeof REJECTED {
  return (response) => (isRejection(response) ? REJECTED : interpret(response));
}

/** Spotify does not always say "Invalid limit", so any 400 may mean that the page is too large. */
export function rejectsPageSize({ status }: JsonResponse): boolean {
  return status === 400;
}

const forbiddenSchema = z.object({ error: z.object({ status: z.literal(403) }) });
const noSuchAddressSchema = z.object({
  error: z.object({ status: z.literal(404), message: z.literal('Service not found') }),
});

/** Ignores errors from a gateway and errors about one entity, because they may be temporary. */
export function rejectsBatch({ status, body }: JsonResponse): boolean {
  if (status === 403) return forbiddenSchema.safeParse(body).success;
  return status === 404 && noSuchAddressSchema.safeParse(body).success;
}

/** A rejection is forgotten after this time, because an app can enter extended quota mode at any time. */
const RETRY_AFTER_MS = 3_600_000;

/** Spotify does not reveal an app's mode, so we try a request and remember if it is rejected. */
export class Capability {
  readonly #clock: { now(): Date };
  #rejectedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: { now(): Date }) {
    this.#clock = clock;
  }

  get shouldTry(): boolean {
    return this.#clock.now().getTime() >= this.#rejectedUntilMs;
  }

  markRejected(): void {
    this.#rejectedUntilMs = this.#clock.now().getTime() + RETRY_AFTER_MS;
  }
}

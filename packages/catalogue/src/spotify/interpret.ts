import { z } from 'zod';
import { type JsonAnswer, parseAnswer } from '../http/answer.js';
import { badAnswer, notFound } from '../platform-error.js';

/** The regular error object. A 404 without it is a gateway's, and says nothing about the catalogue. */
const notFoundSchema = z.object({ error: z.object({ status: z.literal(404) }) });

export function interpretSpotify<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
): (answer: JsonAnswer) => z.output<Schema> {
  return ({ status, body }) => {
    if (status === 404 && notFoundSchema.safeParse(body).success) throw notFound(what);
    if (status !== 200) throw badAnswer(`${what}: ${status}`);
    return parseAnswer(schema, what, body);
  };
}

/**
 * What Spotify answers apps in development mode that ask as only others may (since February 2026). It is about the
 * asking, and says nothing of what was asked for.
 */
export const REFUSED = Symbol('Spotify refuses to be asked like that');

/** Reads an answer, unless it refuses the way of asking. No failure: it is not sent again, nor counted as trouble. */
export function unlessRefused<Result>(
  isRefusal: (answer: JsonAnswer) => boolean,
  interpret: (answer: JsonAnswer) => Result,
): (answer: JsonAnswer) => Result | typeof REFUSED {
  return (answer) => (isRefusal(answer) ? REFUSED : interpret(answer));
}

/** "Invalid limit" is not always said: the body may be empty. Whether it was the limit, a smaller page shows. */
export function refusesPageSize({ status }: JsonAnswer): boolean {
  return status === 400;
}

const forbiddenSchema = z.object({ error: z.object({ status: z.literal(403) }) });
const noSuchAddressSchema = z.object({
  error: z.object({ status: z.literal(404), message: z.literal('Service not found') }),
});

/** In Spotify's own words; those of a gateway, or about one of the things, are trouble that may pass. */
export function refusesBatch({ status, body }: JsonAnswer): boolean {
  if (status === 403) return forbiddenSchema.safeParse(body).success;
  return status === 404 && noSuchAddressSchema.safeParse(body).success;
}

/** An app may be let into extended quota mode, or out of it, at any time. */
const TRIED_AGAIN_AFTER_MS = 3_600_000;

/**
 * A way of asking that is kept from apps in development mode: large pages, several things at once. Spotify does not
 * say in which mode an app is, so the way is tried, and left alone for an hour once it was refused.
 */
export class Capability {
  readonly #clock: { now(): Date };
  #refusedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: { now(): Date }) {
    this.#clock = clock;
  }

  get mayBeTried(): boolean {
    return this.#clock.now().getTime() >= this.#refusedUntilMs;
  }

  /** Spotify refused it. */
  refused(): void {
    this.#refusedUntilMs = this.#clock.now().getTime() + TRIED_AGAIN_AFTER_MS;
  }
}

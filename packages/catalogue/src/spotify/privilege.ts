/** An app may be let into extended quota mode, or out of it, at any time. */
const TRIED_AGAIN_AFTER_MS = 3_600_000;

/**
 * A way of asking that is kept from apps in development mode: large pages, several things at once. Spotify tells nobody
 * in which mode an app is, so the way is tried, and left alone for an hour once it was refused.
 */
export class Privilege {
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

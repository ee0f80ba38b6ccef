/**
 * How many releases a reading looks at closely at the most. A reading is complete only when every one of its requests
 * was answered well, so on a bad day of the platform one that asks for much never is: the limit halves with each failure
 * and grows again slowly, as a TCP sender does. The platform's health is the same for all artists.
 */
export class CloserLimit {
  static readonly #MOST = 50;
  static readonly #STEP = 2;
  #releases = CloserLimit.#MOST;

  get releases(): number {
    return this.#releases;
  }

  /** A closer reading of so many releases ended. */
  ended(releases: number, isComplete: boolean): void {
    if (!isComplete) this.#releases = Math.max(1, Math.floor(Math.min(this.#releases, releases) / 2));
    else if (releases >= this.#releases) {
      this.#releases = Math.min(CloserLimit.#MOST, this.#releases + CloserLimit.#STEP);
    }
  }
}

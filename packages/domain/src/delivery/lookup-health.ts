const SUSPICIOUS_NAMES = 5;

/**
 * Distinguishes a name whose servers do not answer from the name servers of a proxy being away: the first is the receiver's fault, the
 * second would count against every receiver at once and switch them all off.
 *
 * The proxy's are suspected when they have answered before and several different names have failed since the last answer.
 */
export class LookupHealth {
  #hasAnswered = false;
  readonly #failedSince = new Set<string>();

  /** A definite answer came, also that a name does not exist. */
  answered(): void {
    this.#hasAnswered = true;
    this.#failedSince.clear();
  }

  /** No answer came for this name. Are the proxy's name servers to blame? */
  failed(name: string): boolean {
    if (this.#failedSince.size < SUSPICIOUS_NAMES) this.#failedSince.add(name);
    return this.#hasAnswered && this.#failedSince.size >= SUSPICIOUS_NAMES;
  }
}

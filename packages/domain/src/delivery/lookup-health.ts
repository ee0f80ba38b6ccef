const SUSPICIOUS_NAMES = 5;

/**
 * Distinguishes a host name whose name servers don't respond from an outage of the proxy's own name servers. The first
 * is the receiver's fault. The second would count against every receiver at once and switch them all off.
 *
 * The proxy's name servers are suspected if they have responded before, and 5 different names have failed since their
 * last response.
 */
export class LookupHealth {
  #hasAnswered = false;
  readonly #failedSince = new Set<string>();

  /** A definite response arrived. "The name does not exist" counts as one. */
  answered(): void {
    this.#hasAnswered = true;
    this.#failedSince.clear();
  }

  /** No response arrived for this name. Returns true if the proxy's name servers are suspected. */
  failed(name: string): boolean {
    if (this.#failedSince.size < SUSPICIOUS_NAMES) this.#failedSince.add(name);
    return this.#hasAnswered && this.#failedSince.size >= SUSPICIOUS_NAMES;
  }
}

const SUSPICIOUS_NAMES = 5;

/**
 * Distinguishes a host whose name servers do not respond from an outage of the proxy's own name servers. The first is
 * the receiver's fault. Without this distinction, an outage would count against all receivers at once and switch all of
 * them off.
 *
 * The proxy's name servers are suspected if they have responded before, and lookups of 5 different names have failed
 * since their last response.
 */
export class LookupHealth {
  #hasAnswered = false;
  readonly #failedSince = new Set<string>();

  /** Records a definite response from the name servers. "The name does not exist" is one too. */
  answered(): void {
    this.#hasAnswered = true;
    this.#failedSince.clear();
  }

  /** Records a lookup without a response. Returns true if the proxy's name servers are now suspected. */
  failed(name: string): boolean {
    if (this.#failedSince.size < SUSPICIOUS_NAMES) this.#failedSince.add(name);
    return this.#hasAnswered && this.#failedSince.size >= SUSPICIOUS_NAMES;
  }
}

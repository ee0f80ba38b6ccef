const SUSPICIOUS_NAMES = 5;

/**
 * Distinguishes a host's dead name servers from an outage of the proxy's own, which must not count against receivers.
 * The proxy's are suspected after failed lookups of 5 different names since their last response.
 */
export class LookupHealth {
  #hasAnswered = false;
  readonly #failedSince = new Set<string>();

  /** "The name does not exist" is a response too. */
  answered(): void {
    this.#hasAnswered = true;
    this.#failedSince.clear();
  }

  /** Returns true if the proxy's name servers are now suspected. */
  failed(name: string): boolean {
    if (this.#failedSince.size < SUSPICIOUS_NAMES) this.#failedSince.add(name);
    return this.#hasAnswered && this.#failedSince.size >= SUSPICIOUS_NAMES;
  }
}

const SUSPICIOUS_NAMES = 5;

/**
 * Detects outages of the proxy's own name servers, which must not count against receivers. Failed lookups of 5
 * different names are suspicious.
 */
export class LookupHealth {
  #hasAnswered = false;
  readonly #failedSince = new Set<string>();

  /** "The name does not exist" is also a response. */
  answered(): void {
    this.#hasAnswered = true;
    this.#failedSince.clear();
  }

  /** Returns true if the proxy's own name servers are suspected. */
  failed(name: string): boolean {
    if (this.#failedSince.size < SUSPICIOUS_NAMES) this.#failedSince.add(name);
    return this.#hasAnswered && this.#failedSince.size >= SUSPICIOUS_NAMES;
  }
}

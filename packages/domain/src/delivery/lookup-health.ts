const SUSPICIOUS_NAMES = 5;

/**
 * Detects outages of the proxy's own name servers, which must not count against receivers. Suspects an outage once
 * lookups for 5 different names have failed without a response in between.
 */
export class LookupHealth {
  #hasAnswered = false;
  readonly #failedSince = new Set<string>();

  /** Also call this when a name server responds that the name doesn't exist. */
  answered(): void {
    this.#hasAnswered = true;
    this.#failedSince.clear();
  }

  /** Returns true if the proxy's own name servers seem to be down. */
  failed(name: string): boolean {
    if (this.#failedSince.size < SUSPICIOUS_NAMES) this.#failedSince.add(name);
    return this.#hasAnswered && this.#failedSince.size >= SUSPICIOUS_NAMES;
  }
}

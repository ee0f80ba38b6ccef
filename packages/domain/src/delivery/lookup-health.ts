const SUSPICIOUS_NAMES = 5;

/**
 * Suspects the proxy's own name servers after failed lookups of 5 different names. An outage of theirs must not count
 * against receivers.
 */
export class LookupHealth {
  #hasAnswered = false;
  readonly #failedSince = new Set<string>();

  /** "The name does not exist" is a response too. */
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

const SUSPICIOUS_HOSTS = 5;
const REMEMBERED_HOSTS = 10_000;

/**
 * Tells a host that cannot be reached from a proxy that has lost its way to the internet: the first is the receiver's
 * fault, the second would charge a failure to every receiver at once and switch them all off.
 *
 * The proxy is suspected when several different hosts that it had reached before have become unreachable or silent since
 * it last reached any. A host that it never reached says nothing: those that are gone for good would look like an outage
 * whenever nothing else is sent to.
 */
export class DialHealth {
  /** The one that was reached the longest ago comes first. */
  readonly #known = new Set<string>();
  readonly #lostSince = new Set<string>();

  /** A connection was opened to it, or it refused one. */
  reached(host: string): void {
    this.#lostSince.clear();
    this.#known.delete(host);
    this.#known.add(host);
    if (this.#known.size > REMEMBERED_HOSTS) this.#known.delete(this.#known.values().next().value as string);
  }

  /** It was unreachable or silent. Is the proxy to blame? */
  lost(host: string): boolean {
    if (this.#known.has(host) && this.#lostSince.size < SUSPICIOUS_HOSTS) this.#lostSince.add(host);
    return this.#lostSince.size >= SUSPICIOUS_HOSTS;
  }
}

import type { Resolver } from '@artist-watch/address-policy/resolve-and-check';

/** With the deadline's second look, and after EGRESS_CONNECT_TIMEOUT, it ends before a worker gives up on this proxy. */
const WITNESS_TIMEOUT_MS = 900;
const WITNESSES = 3;
const REMEMBERED_NAMES = 1_000;
/** Names that fail all the time do not have others looked up all the time. */
const ANSWERED_FOR_MS = 1_000;
/** An outage makes no look-ups for every request. */
const UNANSWERED_FOR_MS = 5_000;

export interface NameServersOptions {
  readonly resolve: Resolver;
  readonly monotonicMs: () => number;
}

/**
 * Tells a name whose servers do not answer from the name servers of this proxy being away: the first is the receiver's
 * fault, the second would charge a failure to every receiver at once and switch them all off.
 *
 * So when a name fails, others are looked up that were answered before: by those that were answered the longest ago, which
 * no cache between here and there should have any more. If one is answered, or if no other name ever was, the name is to
 * blame.
 */
export class NameServers {
  readonly #resolve: Resolver;
  readonly #monotonicMs: () => number;
  /** Names that were answered; the one that was answered, or asked in vain, the longest ago comes first. */
  readonly #known = new Set<string>();
  /** Those of them that failed since. */
  readonly #failing = new Set<string>();
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #unansweredAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor({ resolve, monotonicMs }: NameServersOptions) {
    this.#resolve = resolve;
    this.#monotonicMs = monotonicMs;
  }

  /** A definite answer came for this name, also that it does not exist. */
  answered(name: string): void {
    this.#answeredAtMs = this.#monotonicMs();
    this.#unansweredAtMs = Number.NEGATIVE_INFINITY;
    this.#failing.delete(name);
    this.#moveToEnd(name);
    if (this.#known.size <= REMEMBERED_NAMES) return;
    const [oldest = ''] = this.#known;
    this.#known.delete(oldest);
    this.#failing.delete(oldest);
  }

  /** No answer came for this name. Are the name servers to blame? Never rejects. */
  async areLostWith(name: string): Promise<boolean> {
    if (this.#known.has(name)) this.#failing.add(name);
    if (!this.#haveAnswered() && !this.#areSilent()) {
      this.#asking ??= this.#askFor(this.#witnessesBesides(name)).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    return this.#areSilent();
  }

  #haveAnswered(): boolean {
    return this.#monotonicMs() - this.#answeredAtMs < ANSWERED_FOR_MS;
  }

  #areSilent(): boolean {
    return this.#monotonicMs() - this.#unansweredAtMs < UNANSWERED_FOR_MS;
  }

  /** One of a zone. Those that failed themselves, or are of the name's own zone, only where there are no others. */
  #witnessesBesides(name: string): readonly string[] {
    const rankOf = (known: string) => (this.#failing.has(known) ? 2 : 0) + (zoneOf(known) === zoneOf(name) ? 1 : 0);
    const others = [...this.#known].filter((known) => known !== name).sort((one, two) => rankOf(one) - rankOf(two));
    const ofZones = new Map<string, string>();
    for (const known of others) if (!ofZones.has(zoneOf(known))) ofZones.set(zoneOf(known), known);
    return [...ofZones.values()].slice(0, WITNESSES);
  }

  async #askFor(witnesses: readonly string[]): Promise<void> {
    if (witnesses.length === 0) return;
    const askedAtMs = this.#monotonicMs();
    const ask = async (witness: string) => {
      await this.#resolve(witness, AbortSignal.timeout(WITNESS_TIMEOUT_MS));
      this.answered(witness);
    };
    await Promise.any(witnesses.map(ask)).catch(() => {
      // Nor has anybody else's name been answered meanwhile.
      if (this.#answeredAtMs < askedAtMs) this.#unansweredAtMs = this.#monotonicMs();
      for (const witness of witnesses) this.#moveToEnd(witness);
    });
  }

  #moveToEnd(name: string): void {
    this.#known.delete(name);
    this.#known.add(name);
  }
}

/** What most often has servers of its own. Where it is more than that, fewer witnesses are asked. */
function zoneOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}

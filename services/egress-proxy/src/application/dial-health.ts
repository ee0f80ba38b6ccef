import type { IpAddress } from '@artist-watch/address-policy/ip-address';

/** A host that was reached, and where; the address policy allowed it then. */
export interface ReachedHost {
  readonly host: string;
  readonly address: IpAddress;
  readonly port: number;
}

const SUSPICIOUS_HOSTS = 5;
const REMEMBERED_HOSTS = 10_000;
const WITNESSES = 3;
/** An outage makes no dial for every request. */
const UNANSWERED_FOR_MS = 5_000;
/** Witnesses are other people's servers: hosts that are lost all the time do not have them dialled all the time. */
const ANSWERED_FOR_MS = 1_000;

/**
 * Tells a host that cannot be reached from a proxy that has lost its way to the internet: the first is the receiver's
 * fault, the second would charge a failure to every receiver at once and switch them all off.
 *
 * The proxy is suspected when several different hosts that it had reached before have become unreachable or silent since
 * it last reached any. A host that it never reached says nothing: those that are gone for good would look like an outage
 * whenever nothing else is sent to. Nor does a suspicion say enough: the lost may just be the only ones that are sent to.
 * So witnesses are dialled, hosts that were reached and are not among the lost, and their answer decides (see WayOut).
 *
 * Instants are milliseconds of a clock that never goes back.
 */
export class DialHealth {
  /** The one that was reached the longest ago comes first. */
  readonly #known = new Map<string, ReachedHost>();
  /** No more than there are known ones, as whatever is reached clears it; nor are the next. */
  readonly #lostSince = new Set<string>();
  readonly #silentWitnesses = new Map<string, ReachedHost>();
  #lastReachedAtMs = Number.NEGATIVE_INFINITY;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #unansweredAtMs = Number.NEGATIVE_INFINITY;

  /** A connection was opened to it, or it refused one. */
  reached(reached: ReachedHost, nowMs: number): void {
    this.#lastReachedAtMs = nowMs;
    this.#unansweredAtMs = Number.NEGATIVE_INFINITY;
    this.#lostSince.clear();
    this.#silentWitnesses.clear();
    this.#known.delete(reached.host);
    this.#known.set(reached.host, reached);
    if (this.#known.size > REMEMBERED_HOSTS) this.#known.delete(this.#known.keys().next().value as string);
  }

  /**
   * It was unreachable or silent. That says nothing when another was reached since the dial began: those that are silent
   * are given up long after the others of the same change have answered.
   */
  lost(host: string, dialBeganAtMs: number): void {
    if (dialBeganAtMs > this.#lastReachedAtMs && this.#known.has(host)) this.#lostSince.add(host);
  }

  /** Whether there is a way out. Who is `unsure` asks the witnesses. */
  wayOut(nowMs: number): 'there' | 'lost' | 'unsure' {
    if (this.#lostSince.size < SUSPICIOUS_HOSTS || nowMs - this.#answeredAtMs < ANSWERED_FOR_MS) return 'there';
    return nowMs - this.#unansweredAtMs < UNANSWERED_FOR_MS ? 'lost' : 'unsure';
  }

  /**
   * Whom to ask, at different addresses or ports: of the hosts that are not lost those that were reached last. Those that
   * kept silent come behind all others, so that nobody's dead hosts are the only ones that are ever asked; but they are
   * asked again, so that an outage does not end when all hosts are among the lost.
   */
  witnesses(): readonly ReachedHost[] {
    const witnesses = new Map<string, ReachedHost>();
    for (const known of [...this.#known.values()].reverse()) {
      if (witnesses.size === WITNESSES) break;
      const place = placeOf(known);
      if (!this.#lostSince.has(known.host) && !this.#silentWitnesses.has(place) && !witnesses.has(place)) {
        witnesses.set(place, known);
      }
    }
    return [...witnesses.values(), ...this.#silentWitnesses.values()].slice(0, WITNESSES);
  }

  answered(witness: ReachedHost, nowMs: number): void {
    this.reached(witness, nowMs);
    this.#answeredAtMs = nowMs;
  }

  /** None of them answered. That says nothing when another host was reached meanwhile. */
  unanswered(witnesses: readonly ReachedHost[], askedAtMs: number, nowMs: number): void {
    if (this.#lastReachedAtMs >= askedAtMs) return;
    this.#unansweredAtMs = nowMs;
    for (const witness of witnesses) this.#silentWitnesses.set(placeOf(witness), witness);
  }
}

function placeOf({ address, port }: ReachedHost): string {
  return `${address.text} ${port}`;
}

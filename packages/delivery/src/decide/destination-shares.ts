/**
 * Gives each destination a bounded share of a worker's slots, so that one that hangs never delays the others.
 *
 * A share starts with a handful of slots, so that little is on the wire when a burst meets a receiver that is down. Each
 * quick success adds one, up to half of all slots; a slow one halves it, a failure ends it. What finds the share full waits
 * in the record and never in a slot, so the slots are free for whoever can use them.
 */
export interface DestinationSharesOptions {
  /** Requests that this process makes at once, over all destinations. */
  readonly slots: number;
  /** A success within this time is quick. */
  readonly quickMs: number;
}

export type Turn = { readonly kind: 'go' } | { readonly kind: 'full'; readonly waitMs: number };

/** How a request ended, as far as it says anything of the destination. */
export interface EndedRequest {
  readonly succeeded: boolean;
  readonly tookMs: number;
}

interface Share {
  inFlight: number;
  size: number;
  /** How long the last request took. */
  tookMs: number;
  /** When a request last ended, or the first of those in flight began, on the monotonic clock. */
  silentSinceMs: number;
}

const SMALLEST_SHARE = 4;
/** About as long as the relay takes to bring a delivery back. */
const SHORTEST_WAIT_MS = 200;
/** Thousands may wait for one that is slow: they come back each few answers, for as long as none fails (then it is paced). */
const ANSWERS_TO_WAIT_FOR = 4;
/**
 * What holds the slots may end at any moment: a proxy answers again, or the record. Who waited for as long as all of a silence
 * of ten seconds came up to ten more after its end.
 */
const LONGEST_SILENCE_MS = 2_000;
/** A destination that is slow may have become quick. */
const LONGEST_WAIT_MS = 30_000;
/** What a destination showed longer ago than this says nothing of it now. */
const FORGET_AFTER_MS = 10_000;
const PRUNE_EVERY_MS = 60_000;

export class DestinationShares {
  readonly #shares = new Map<string, Share>();
  readonly #smallest: number;
  readonly #largest: number;
  readonly #quickMs: number;
  #prunedAtMs = 0;

  constructor({ slots, quickMs }: DestinationSharesOptions) {
    this.#largest = Math.max(1, Math.floor(slots / 2));
    this.#smallest = Math.min(SMALLEST_SHARE, this.#largest);
    this.#quickMs = quickMs;
  }

  /** Asks for a slot; `leave` must follow a `go`. */
  enter(destinationId: string, nowMs: number): Turn {
    const share = this.#shareOf(destinationId, nowMs);
    if (share.inFlight < share.size) {
      if (share.inFlight === 0) share.silentSinceMs = nowMs;
      share.inFlight += 1;
      return { kind: 'go' };
    }
    // One that hangs is known by its silence long before its first request ends.
    const silentMs = Math.min(nowMs - share.silentSinceMs, LONGEST_SILENCE_MS);
    const waitMs = Math.max(SHORTEST_WAIT_MS, silentMs, slowMs(share.tookMs, this.#quickMs));
    return { kind: 'full', waitMs: Math.min(waitMs, LONGEST_WAIT_MS) };
  }

  /** @param ended undefined when no request was made, or its end says nothing of the destination. */
  leave(destinationId: string, ended: EndedRequest | undefined, nowMs: number): void {
    const share = this.#shares.get(destinationId);
    if (!share) return;
    share.inFlight -= 1;
    share.silentSinceMs = nowMs;
    if (!ended) return;
    share.tookMs = ended.tookMs;
    if (!ended.succeeded) share.size = this.#smallest;
    else if (ended.tookMs <= this.#quickMs) share.size = Math.min(this.#largest, share.size + 1);
    else share.size = Math.max(this.#smallest, Math.floor(share.size / 2));
  }

  #shareOf(destinationId: string, nowMs: number): Share {
    let share = this.#shares.get(destinationId);
    if (!share || isForgotten(share, nowMs)) {
      if (nowMs - this.#prunedAtMs > PRUNE_EVERY_MS) this.#prune(nowMs);
      share = { inFlight: 0, size: this.#smallest, tookMs: 0, silentSinceMs: nowMs };
      this.#shares.set(destinationId, share);
    }
    return share;
  }

  #prune(nowMs: number): void {
    this.#prunedAtMs = nowMs;
    for (const [destinationId, share] of this.#shares) {
      if (isForgotten(share, nowMs)) this.#shares.delete(destinationId);
    }
  }
}

function slowMs(tookMs: number, quickMs: number): number {
  return tookMs > quickMs ? tookMs * ANSWERS_TO_WAIT_FOR : 0;
}

function isForgotten({ inFlight, silentSinceMs }: Share, nowMs: number): boolean {
  return inFlight === 0 && nowMs - silentSinceMs > FORGET_AFTER_MS;
}

/**
 * Gives each destination a bounded share of a worker's slots, so that one that hangs never delays the others.
 *
 * A share starts at an eighth of the slots and follows what the destination shows: each quick answer adds one slot, up
 * to half of all; each slow one halves it, down to a handful. What finds the share full is given a turn: it waits
 * elsewhere for about as long as those before it will take, and comes back then. Nothing waits in a slot, so the slots
 * are free for whoever can use them.
 */
export interface DestinationSharesOptions {
  /** Requests that this process makes at once, over all destinations. */
  readonly slots: number;
  /** An answer within this time is quick. */
  readonly quickMs: number;
}

export type Turn = { readonly kind: 'go' } | { readonly kind: 'full'; readonly waitMs: number };

interface Share {
  inFlight: number;
  size: number;
  /** Running mean of how long a request takes. */
  meanMs: number;
  /** When a request last came back, or the first of those in flight went out, on the monotonic clock. */
  silentSinceMs: number;
  /** When the last delivery that was sent away has its turn. */
  lineEndsAtMs: number;
  lastUsedAtMs: number;
}

const SMALLEST_SHARE = 4;
/** A turn is a guess, and the share grows meanwhile: what is quick comes back soon … */
const LONGEST_WAIT_IF_QUICK_MS = 1_000;
/**
 * … and what was slow but has recovered should not wait for longer than this. The ends of a long line come back spread
 * over the second half of it: thousands at once would keep everybody else waiting while they are sent away again.
 */
const LONGEST_WAIT_MS = 30_000;
/** Its multiples fall evenly between 0 and 1, however many there are. */
const GOLDEN_RATIO = 0.618_033_988_749_895;
/** A shorter wait is not worth the way through the queue. */
const SHORTEST_WAIT_MS = 100;
/** Of a destination that is not known yet. */
const FIRST_MEAN_MS = 50;
const FORGET_AFTER_MS = 600_000;
const WEIGHT_OF_NEWEST = 0.2;

export class DestinationShares {
  readonly #shares = new Map<string, Share>();
  readonly #smallest: number;
  readonly #first: number;
  readonly #largest: number;
  readonly #quickMs: number;
  #longestWaits = 0;
  #lastAskedAtMs = 0;
  #awakeSinceMs = 0;

  constructor({ slots, quickMs }: DestinationSharesOptions) {
    this.#largest = Math.max(1, Math.floor(slots / 2));
    this.#smallest = Math.min(SMALLEST_SHARE, this.#largest);
    this.#first = Math.max(this.#smallest, Math.floor(slots / 8));
    this.#quickMs = quickMs;
  }

  /** Asks for a slot; `leave` must follow a `go`. */
  enter(destinationId: string, nowMs: number): Turn {
    // Nobody asked for a while: this process may have stood still, and what came back lies unread.
    if (nowMs - this.#lastAskedAtMs > this.#quickMs) this.#awakeSinceMs = nowMs;
    this.#lastAskedAtMs = nowMs;
    const share = this.#shareOf(destinationId, nowMs);
    share.lastUsedAtMs = nowMs;
    if (share.inFlight < share.size) {
      if (share.inFlight === 0) share.silentSinceMs = nowMs;
      share.inFlight += 1;
      // A free slot means that nobody of the line is left before the next one who finds it full.
      share.lineEndsAtMs = nowMs;
      return { kind: 'go' };
    }
    return { kind: 'full', waitMs: this.#waitFor(share, nowMs) };
  }

  #waitFor(share: Share, nowMs: number): number {
    // One that hangs is known by its silence long before its first request ends.
    const silentMs = nowMs - Math.max(share.silentSinceMs, this.#awakeSinceMs);
    const longestMs = this.#longestWait(share.meanMs, silentMs);
    const waitMs = Math.max(share.lineEndsAtMs - nowMs, 0) + Math.max(share.meanMs, silentMs) / share.size;
    share.lineEndsAtMs = nowMs + Math.min(waitMs, longestMs);
    if (waitMs < longestMs) return Math.max(SHORTEST_WAIT_MS, waitMs);
    if (longestMs === LONGEST_WAIT_IF_QUICK_MS) return longestMs;
    this.#longestWaits += 1;
    return (longestMs * (1 + ((this.#longestWaits * GOLDEN_RATIO) % 1))) / 2;
  }

  /** For who is merely silent as long again as it has been: it may answer any moment. */
  #longestWait(meanMs: number, silentMs: number): number {
    if (meanMs > this.#quickMs) return LONGEST_WAIT_MS;
    return Math.min(Math.max(silentMs, LONGEST_WAIT_IF_QUICK_MS), LONGEST_WAIT_MS);
  }

  /** @param tookMs how long the request took; undefined when none was made. */
  leave(destinationId: string, tookMs: number | undefined, nowMs: number): void {
    const share = this.#shares.get(destinationId);
    if (!share) return;
    share.inFlight -= 1;
    share.silentSinceMs = nowMs;
    if (tookMs === undefined) return;
    share.meanMs += (tookMs - share.meanMs) * WEIGHT_OF_NEWEST;
    share.size =
      tookMs <= this.#quickMs
        ? Math.min(this.#largest, share.size + 1)
        : Math.max(this.#smallest, Math.floor(share.size / 2));
  }

  /** Forgets destinations that were not used for a while; called now and then. */
  prune(nowMs: number): void {
    for (const [destinationId, share] of this.#shares) {
      if (share.inFlight === 0 && nowMs - share.lastUsedAtMs > FORGET_AFTER_MS) this.#shares.delete(destinationId);
    }
  }

  #shareOf(destinationId: string, nowMs: number): Share {
    let share = this.#shares.get(destinationId);
    if (!share) {
      share = {
        inFlight: 0,
        size: this.#first,
        meanMs: FIRST_MEAN_MS,
        silentSinceMs: nowMs,
        lineEndsAtMs: nowMs,
        lastUsedAtMs: nowMs,
      };
      this.#shares.set(destinationId, share);
    }
    return share;
  }
}

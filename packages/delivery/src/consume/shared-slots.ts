export interface SharedSlotsOptions {
  /** In hand at once, over all shards. */
  readonly slots: number;
  readonly shards: number;
  /** Called with the limits of the shards, by number, whenever one may have changed. */
  onLimits(limits: readonly number[]): void;
}

/**
 * The slots of one process, shared by several queues: each may use what the others leave free, and each gets its part
 * when all want more than there is.
 *
 * A queue's limit says how many jobs it may take from Redis: what it has in hand and what is free, never less than its
 * part. A job that was taken when the slots were just given away waits here, in front of its work, and the next slot
 * goes to the queue that has the fewest.
 */
export class SharedSlots {
  readonly #held: number[];
  readonly #waiting: (() => void)[][];
  readonly #part: number;
  readonly #onLimits: SharedSlotsOptions['onLimits'];
  #free: number;

  constructor({ slots, shards, onLimits }: SharedSlotsOptions) {
    this.#held = Array.from({ length: shards }, () => 0);
    this.#waiting = Array.from({ length: shards }, () => []);
    this.#part = Math.ceil(slots / shards);
    this.#free = slots;
    this.#onLimits = onLimits;
  }

  /** Slots that are taken. */
  get inUse(): number {
    return this.#held.reduce((sum, held) => sum + held, 0);
  }

  /** Runs the work of one job of a shard in a slot. */
  async run<Result>(shard: number, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(shard);
    try {
      return await work();
    } finally {
      this.#leave(shard);
    }
  }

  #enter(shard: number): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      this.#hold(shard);
      return undefined;
    }
    return new Promise((resolve) => this.#waiting[shard]?.push(resolve));
  }

  #leave(shard: number): void {
    this.#held[shard] = this.#heldBy(shard) - 1;
    const next = this.#fewestHolding();
    if (next === undefined) {
      this.#free += 1;
      this.#applyLimits();
      return;
    }
    this.#hold(next);
    this.#waiting[next]?.shift()?.();
  }

  #fewestHolding(): number | undefined {
    let next: number | undefined;
    for (const [shard, waiting] of this.#waiting.entries()) {
      if (waiting.length > 0 && (next === undefined || this.#heldBy(shard) < this.#heldBy(next))) next = shard;
    }
    return next;
  }

  #hold(shard: number): void {
    this.#held[shard] = this.#heldBy(shard) + 1;
    this.#applyLimits();
  }

  #heldBy(shard: number): number {
    return this.#held[shard] ?? 0;
  }

  #applyLimits(): void {
    // One queue may always have them all.
    if (this.#held.length === 1) return;
    this.#onLimits(this.#held.map((held) => Math.max(this.#part, held + this.#free)));
  }
}

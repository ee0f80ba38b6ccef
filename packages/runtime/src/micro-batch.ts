export interface MicroBatchOptions<Item, Result> {
  /** A batch leaves as soon as it holds this many items, and holds no more … */
  readonly maxItems: number;
  /** For how many an item counts there; 1 unless given. One that counts for more than `maxItems` has a batch of its own. */
  readonly weigh?: (item: Item) => number;
  /** … or when its first item has waited this long, in milliseconds (0: at the end of this turn of the event loop). */
  readonly maxWaitMs: number;
  /** While another batch runs, what arrives leaves at its end, or beside it after this long. `maxWaitMs` unless given. */
  readonly maxWaitBesideMs?: number;
  /** How many batches may run at once; 1 unless given, so that items gather while the former batch is on its way. */
  readonly maxRunning?: number;
  /** Does the work of all items at once and answers one result for each, in the order of the items, or that it goes again. */
  run(items: readonly Item[]): Promise<readonly (Result | typeof AGAIN)[]>;
  /**
   * Whether what a batch threw is the trouble of all of its items; always unless given. What is perhaps the trouble of one
   * is not told to the others: each goes again in a batch of its own.
   */
  concernsAll?(error: unknown): boolean;
}

/** The item was left out, and goes with the next batch. */
export const AGAIN = Symbol('again');

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Turns many single calls into few calls of a batch function (one statement for many rows), while each caller awaits its
 * own result. What the batch function throws reaches every caller of that batch.
 */
export class MicroBatch<Item, Result> {
  readonly #options: MicroBatchOptions<Item, Result>;
  readonly #waiting: WaitingItem<Item, Result>[] = [];
  readonly #running = new Set<Promise<void>>();
  #waitingWeight = 0;
  #cancelTimer: (() => void) | undefined;
  #due = false;
  #stopped = false;

  constructor(options: MicroBatchOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's own result. Rejects with the error of its batch, or when the batcher was stopped before. */
  add(item: Item): Promise<Result> {
    if (this.#stopped) return Promise.reject(new Error('This batch was stopped and takes no further item.'));
    const weight = this.#options.weigh?.(item) ?? 1;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight, resolve, reject });
      this.#waitingWeight += weight;
      this.#startWhatIsDue();
    });
  }

  /** Takes nothing new, sends what has gathered, and resolves when every batch has ended. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#due = true;
    this.#startWhatIsDue();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startWhatIsDue(): void {
    const { maxItems, maxRunning = 1 } = this.#options;
    while (this.#running.size < maxRunning && (this.#due || this.#waitingWeight >= maxItems)) {
      this.#clearTimer();
      if (this.#waiting.length === 0) {
        this.#due = this.#stopped;
        return;
      }
      const batch = this.#takeBatch(maxItems);
      // What is left over has already waited for a batch before it.
      this.#due = this.#stopped || this.#waiting.length > 0;
      this.#start(batch);
    }
    if (!this.#due && this.#waiting.length > 0) this.#startTimer();
  }

  /** The first that waits, and those behind it that fit in with it. */
  #takeBatch(maxItems: number): WaitingItem<Item, Result>[] {
    let [count, weight] = [0, 0];
    for (const waiting of this.#waiting) {
      if (count > 0 && weight + waiting.weight > maxItems) break;
      count += 1;
      weight += waiting.weight;
    }
    this.#waitingWeight -= weight;
    return this.#waiting.splice(0, count);
  }

  #start(batch: WaitingItem<Item, Result>[]): void {
    const running = this.#settle(batch).finally(() => {
      this.#running.delete(running);
      if (this.#options.maxWaitBesideMs !== undefined && this.#running.size === 0) this.#due = true;
      this.#startWhatIsDue();
    });
    this.#running.add(running);
  }

  async #settle(batch: WaitingItem<Item, Result>[]): Promise<void> {
    const { run, maxItems, concernsAll = () => true } = this.#options;
    try {
      const results = await run(batch.map((waiting) => waiting.item));
      if (results.length !== batch.length) {
        throw new Error(`A batch of ${batch.length} items was answered with ${results.length} results.`);
      }
      this.#putBack(batch.filter((_, index) => results[index] === AGAIN));
      for (const [index, result] of results.entries()) if (result !== AGAIN) batch[index]?.resolve(result);
    } catch (error) {
      if (batch.length > 1 && !concernsAll(error)) {
        this.#putBack(batch.map((waiting) => ({ ...waiting, weight: maxItems })));
      } else for (const waiting of batch) waiting.reject(error);
    }
  }

  #putBack(batch: readonly WaitingItem<Item, Result>[]): void {
    if (batch.length === 0) return;
    this.#waiting.unshift(...batch);
    for (const { weight } of batch) this.#waitingWeight += weight;
    this.#due = true;
  }

  #startTimer(): void {
    if (this.#cancelTimer) return;
    const onDue = () => {
      this.#cancelTimer = undefined;
      this.#due = true;
      this.#startWhatIsDue();
    };
    const { maxWaitMs, maxWaitBesideMs = maxWaitMs } = this.#options;
    const waitMs = this.#running.size > 0 ? maxWaitBesideMs : maxWaitMs;
    if (waitMs <= 0) {
      const immediate = setImmediate(onDue);
      this.#cancelTimer = () => clearImmediate(immediate);
    } else {
      const timeout = setTimeout(onDue, waitMs);
      this.#cancelTimer = () => clearTimeout(timeout);
    }
  }

  #clearTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

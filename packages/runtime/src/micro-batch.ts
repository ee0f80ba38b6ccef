export interface MicroBatchOptions<Item, Result> {
  readonly maxItems: number;
  /** Returns the weight of an item, which counts toward `maxItems`. Default: 1. */
  readonly weigh?: (item: Item) => number;
  /** Maximum time that a batch's first item waits. If 0, the batch starts at the end of this event loop iteration. */
  readonly maxWaitMs: number;
  /** A batch that isn't full starts no sooner than this long after the previous one. Default: 0. */
  readonly minIntervalMs?: number;
  /** Default: 1, so that items accumulate while a batch is running. */
  readonly maxRunning?: number;
  /** Returns one result per item, in the same order. */
  run(items: readonly Item[]): Promise<readonly (Result | typeof RUN_AGAIN)[]>;
  /** If false, each item in the failed batch is run again on its own. Default: true. */
  isSharedError?(error: unknown): boolean;
}

/** Means that an item was not processed and should run again in the next batch. */
export const RUN_AGAIN = Symbol('run again');

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly weight: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Combines many individual calls into a few batches, for example to write many rows with one statement. */
export class MicroBatch<Item, Result> {
  readonly #options: MicroBatchOptions<Item, Result>;
  readonly #waiting: WaitingItem<Item, Result>[] = [];
  readonly #running = new Set<Promise<void>>();
  #waitingWeight = 0;
  #cancelTimer: (() => void) | undefined;
  #due = false;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: MicroBatchOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    if (this.#stopped) return Promise.reject(new Error('The batcher is stopped and accepts no more items.'));
    const weight = this.#options.weigh?.(item) ?? 1;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight, resolve, reject });
      this.#waitingWeight += weight;
      this.#startDueBatches();
    });
  }

  /** Runs the waiting items and rejects any new ones. The returned promise never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#due = true;
    this.#startDueBatches();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startDueBatches(): void {
    const { maxItems, maxRunning = 1, maxWaitMs, minIntervalMs = 0 } = this.#options;
    while (this.#running.size < maxRunning && (this.#due || this.#waitingWeight >= maxItems)) {
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
      if (this.#waiting.length === 0) {
        this.#due = this.#stopped;
        return;
      }
      let [count, weight] = [0, 0];
      for (const waiting of this.#waiting) {
        if (count > 0 && weight + waiting.weight > maxItems) break;
        count += 1;
        weight += waiting.weight;
      }
      this.#waitingWeight -= weight;
      const batch = this.#waiting.splice(0, count);
      // The remaining items have already waited, so they start immediately.
      this.#due = this.#stopped || this.#waiting.length > 0;
      this.#startedAtMs = performance.now();
      const running = this.#run(batch).finally(() => {
        this.#running.delete(running);
        this.#startDueBatches();
      });
      this.#running.add(running);
    }
    if (this.#due || this.#waiting.length === 0 || this.#cancelTimer) return;
    const waitMs = Math.max(maxWaitMs, this.#startedAtMs + minIntervalMs - performance.now());
    if (waitMs <= 0) {
      const immediate = setImmediate(this.#onWaited);
      this.#cancelTimer = () => clearImmediate(immediate);
    } else {
      const timeout = setTimeout(this.#onWaited, waitMs);
      this.#cancelTimer = () => clearTimeout(timeout);
    }
  }

  readonly #onWaited = () => {
    this.#cancelTimer = undefined;
    this.#due = true;
    this.#startDueBatches();
  };

  async #run(batch: WaitingItem<Item, Result>[]): Promise<void> {
    const { run, maxItems, isSharedError = () => true } = this.#options;
    let again: WaitingItem<Item, Result>[] = [];
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length) {
        throw new Error(`A batch of ${batch.length} items returned ${results.length} results.`);
      }
      for (const [index, waiting] of batch.entries()) {
        const result = results[index] as Result | typeof RUN_AGAIN;
        if (result === RUN_AGAIN) again.push(waiting);
        else waiting.resolve(result);
      }
    } catch (error) {
      if (batch.length > 1 && !isSharedError(error)) again = batch.map((one) => ({ ...one, weight: maxItems }));
      else for (const waiting of batch) waiting.reject(error);
    }
    if (again.length === 0) return;
    this.#waiting.unshift(...again);
    for (const { weight } of again) this.#waitingWeight += weight;
    this.#due = true;
  }
}

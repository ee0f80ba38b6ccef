import type { DirectDelivery } from '@artist-watch/persistence/change/change-fan-out';
import type { QueuedDelivery } from '../queue/delivery-queue.js';

export interface DirectWayOptions {
  /** Jobs that are due in each shard of the queue at the most. */
  readonly maxDue: number;
  /** By number. */
  readonly shards: number;
  add(deliveries: readonly QueuedDelivery[]): Promise<void>;
  /** Lets deliveries wait in the record that could not be queued. */
  takeBack(deliveries: readonly DirectDelivery[]): Promise<void>;
  onQueued(count: number): void;
  onError(error: unknown): void;
}

/** Direct deliveries fill this part of the queue at most; the relay fills the rest. */
const PART = 0.5;

/**
 * The short way of deliveries from the transaction that makes them to the queue, where nothing waits for their destinations:
 * one write and one round trip less than by the relay, and no wait for its next run (docs/adr/0038).
 *
 * Their rows say from the beginning that the queue has them. The sweeper finds what a killed process leaves in between, like
 * everything that the queue has lost.
 */
export class DirectWay {
  readonly #options: DirectWayOptions;
  /** By shard: due when the relay last read the depth, and direct deliveries since. Infinite before the first reading. */
  readonly #due: number[];
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: DirectWayOptions) {
    this.#options = options;
    this.#due = Array.from({ length: options.shards }, () => Number.POSITIVE_INFINITY);
  }

  /** The relay has read the depth of a shard. @param due undefined when the queue did not answer. */
  setDue(shard: number, due: number | undefined): void {
    this.#due[shard] = due ?? Number.POSITIVE_INFINITY;
  }

  get hasRoom(): boolean {
    return this.#due.every((due) => due < this.#options.maxDue * PART);
  }

  take(deliveries: readonly DirectDelivery[]): void {
    if (deliveries.length === 0) return;
    this.#due.forEach((due, shard) => {
      this.#due[shard] = due + deliveries.length;
    });
    const underWay = this.#queue(deliveries).finally(() => this.#underWay.delete(underWay));
    this.#underWay.add(underWay);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #queue(deliveries: readonly DirectDelivery[]): Promise<void> {
    const { add, takeBack, onQueued, onError } = this.#options;
    try {
      await add(deliveries.map((delivery) => ({ ...delivery, delayMs: 0 })));
      onQueued(deliveries.length);
    } catch (error) {
      onError(error);
      await takeBack(deliveries).catch(onError);
    }
  }
}

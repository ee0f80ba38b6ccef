import type { DeliveryQueue } from '@artist-watch/queue/delivery-queue';
import { every } from '@artist-watch/runtime/periodic';
import type { WaitingLane } from '../application/ports.js';

const LOOK_EVERY_MS = 1_000;

/**
 * Deliveries wait in the queue until it holds `maxDelayed` of them; beyond that in the record, so that a long outage of
 * many receivers does not fill Redis.
 */
export function createWaitingLane(
  queue: DeliveryQueue,
  { maxDelayed, signal, onError }: { maxDelayed: number; signal: AbortSignal; onError(error: unknown): void },
): WaitingLane & { readonly done: Promise<void> } {
  let isFull = false;
  const { done } = every({
    intervalMs: LOOK_EVERY_MS,
    signal,
    onError,
    async run() {
      isFull = (await queue.depth()).delayed >= maxDelayed;
    },
  });
  return { keptIn: () => (isFull ? 'record' : 'queue'), done };
}

import type { AskedWait } from '@artist-watch/domain/channel/chat-answer';
import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';

interface Addressee {
  readonly destinationId: string;
  readonly destinationKind: DestinationKind;
}

/**
 * How long chat platforms asked this process to wait: for one channel, or with all of theirs. Known to this process alone
 * and lost with it: then the platform asks again.
 */
export class AskedPauses {
  readonly #untilMs = new Map<string, number>();

  /** @returns how long to wait still, in milliseconds; 0 when it may be sent. */
  remainingMs({ destinationId, destinationKind }: Addressee, nowMs: number): number {
    if (this.#untilMs.size === 0) return 0;
    return Math.max(0, this.#until(destinationId) - nowMs, this.#until(destinationKind) - nowMs);
  }

  asked({ destinationId, destinationKind }: Addressee, { waitMs, isGlobal }: AskedWait, nowMs: number): void {
    for (const [key, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(key);
    const key = isGlobal ? destinationKind : destinationId;
    this.#untilMs.set(key, Math.max(this.#until(key), nowMs + waitMs));
  }

  #until(key: string): number {
    return this.#untilMs.get(key) ?? Number.NEGATIVE_INFINITY;
  }
}

import { startDeadline } from '@artist-watch/runtime/deadline';
import { isRefusal } from './dial-failure.js';
import { DialHealth, type ReachedHost } from './dial-health.js';
import type { Connection, Dial } from './ports.js';

/** With the deadline's second look, and after EGRESS_CONNECT_TIMEOUT, it ends before a worker gives up on this proxy. */
const WITNESS_TIMEOUT_MS = 900;

export interface WayOutOptions {
  readonly dial: Dial<Connection>;
  readonly monotonicMs: () => number;
}

/** Whether this proxy can still reach the internet. A suspicion is verified before it is spoken: others are dialled. */
export class WayOut {
  readonly #dial: Dial<Connection>;
  readonly #monotonicMs: () => number;
  readonly #health = new DialHealth();
  #asking: Promise<void> | undefined;

  constructor({ dial, monotonicMs }: WayOutOptions) {
    this.#dial = dial;
    this.#monotonicMs = monotonicMs;
  }

  /** A connection was opened to it, or it refused one. */
  reached(reached: ReachedHost): void {
    this.#health.reached(reached, this.#monotonicMs());
  }

  /** A host was unreachable or silent. Is this proxy to blame? Never rejects. */
  async isLostWith(host: string, dialBeganAtMs: number): Promise<boolean> {
    this.#health.lost(host, dialBeganAtMs);
    if (this.#health.wayOut(this.#monotonicMs()) === 'unsure') {
      this.#asking ??= this.#askWitnesses().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    return this.#health.wayOut(this.#monotonicMs()) === 'lost';
  }

  async #askWitnesses(): Promise<void> {
    const askedAtMs = this.#monotonicMs();
    const witnesses = this.#health.witnesses();
    // Nobody else was ever reached: nothing can be said against this proxy.
    if (witnesses.length === 0) return;
    const answering = await firstToAnswer(witnesses, this.#dial);
    if (answering) this.#health.answered(answering, this.#monotonicMs());
    else this.#health.unanswered(witnesses, askedAtMs, this.#monotonicMs());
  }
}

/** Nothing is sent, and nothing is left open. Undefined when none answers in time. */
async function firstToAnswer(
  witnesses: readonly ReachedHost[],
  dial: Dial<Connection>,
): Promise<ReachedHost | undefined> {
  const stop = new AbortController();
  const deadline = startDeadline(WITNESS_TIMEOUT_MS, () => stop.abort());
  const ask = async (witness: ReachedHost) => {
    try {
      (await dial(witness.address, witness.port, stop.signal)).destroy();
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    return witness;
  };
  try {
    return await Promise.any(witnesses.map(ask));
  } catch {
    return undefined;
  } finally {
    deadline.cancel();
    stop.abort();
  }
}

import type { Duplex } from 'node:stream';

/**
 * Bounds the tunnels that are kept though nobody uses them, over all receivers and proxies: each takes a file descriptor.
 * Node's agents bound them for each receiver only, and one change may go to a hundred thousand.
 */
export class IdleTunnels {
  readonly #idle = new Set<Duplex>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * It is kept from now on, until it is given back. Beyond the bound the one goes that has been idle for longest: a change
   * to thousands of receivers must not take the tunnels of those that are sent to all the time.
   */
  keep(tunnel: Duplex): void {
    if (this.#idle.size >= this.#max) {
      const [oldest] = this.#idle;
      if (oldest) {
        this.#idle.delete(oldest);
        oldest.destroy();
      }
    }
    this.#idle.add(tunnel);
  }

  /** It is used again, or closed. */
  giveBack(tunnel: Duplex): void {
    this.#idle.delete(tunnel);
  }
}

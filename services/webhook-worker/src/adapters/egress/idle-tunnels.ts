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

  /** May it be kept? It counts from now on, until it is given back. */
  keep(tunnel: Duplex): boolean {
    if (this.#idle.size >= this.#max) return false;
    this.#idle.add(tunnel);
    return true;
  }

  /** It is used again, or closed. */
  giveBack(tunnel: Duplex): void {
    this.#idle.delete(tunnel);
  }
}

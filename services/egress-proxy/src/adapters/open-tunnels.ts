import { onAbort } from '@artist-watch/runtime/abort';
import type { TunnelEnd } from '../application/ports.js';

/** A tunnel that is being opened or is open. */
export interface OpenTunnel {
  /** Cuts both sides at once. */
  cut: (end: TunnelEnd) => void;
}

/** Counts the tunnels: none beyond the most that there may be, none once it drains. */
export class OpenTunnels {
  readonly #max: number;
  readonly #open = new Set<OpenTunnel>();
  #draining: (() => void) | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Undefined when there is no room, or when this proxy is about to stop. */
  begin(): OpenTunnel | undefined {
    if (this.#draining || this.#open.size >= this.#max) return undefined;
    const tunnel: OpenTunnel = { cut: () => undefined };
    this.#open.add(tunnel);
    return tunnel;
  }

  end(tunnel: OpenTunnel): void {
    this.#open.delete(tunnel);
    if (this.#open.size === 0) this.#draining?.();
  }

  /** Takes no further tunnel and resolves when the last has ended, by itself or because `forced` was aborted. */
  async drain(forced: AbortSignal): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.#draining = resolve;
      if (this.#open.size === 0) resolve();
    });
    onAbort(forced, () => {
      for (const tunnel of this.#open) tunnel.cut('drained');
    });
    await empty;
  }
}

import type { Socket } from 'node:net';
import type { ProxyPulse } from './proxy-pulse.js';

/** Beyond this many, those are forgotten whose tunnels are gone: addresses of pods that will not come back. */
const REMEMBERED = 32;

interface Felt {
  readonly pulse: ProxyPulse;
  tunnels: number;
}

/**
 * A pulse for each address behind a proxy's name, felt for as long as a connection to it is open. Several proxies may
 * share a name, and a healthy one must not answer for another that died with tunnels through it.
 */
export class PeerPulses {
  readonly #open: (address: string) => ProxyPulse;
  readonly #felt = new Map<string, Felt>();

  constructor(open: (address: string) => ProxyPulse) {
    this.#open = open;
  }

  /** A connection to a proxy was made. */
  opened(connection: Socket): void {
    const { remoteAddress: address } = connection;
    // It may have been closed already.
    if (address === undefined) return;
    const felt = this.#feel(address);
    const letGo = felt.pulse.hold();
    felt.tunnels += 1;
    connection.once('close', () => {
      felt.tunnels -= 1;
      letGo();
    });
  }

  at(address: string): ProxyPulse {
    return this.#feel(address).pulse;
  }

  /** Is something open through the proxy at this address, and has it left the last question unanswered? */
  isUnwell(address: string): boolean {
    const felt = this.#felt.get(address);
    return felt !== undefined && felt.tunnels > 0 && felt.pulse.isUnwell;
  }

  stop(): void {
    for (const { pulse } of this.#felt.values()) pulse.stop();
    this.#felt.clear();
  }

  #feel(address: string): Felt {
    let felt = this.#felt.get(address);
    if (!felt) {
      if (this.#felt.size >= REMEMBERED) this.#forgetTheGone();
      felt = { pulse: this.#open(address), tunnels: 0 };
      this.#felt.set(address, felt);
    }
    return felt;
  }

  #forgetTheGone(): void {
    for (const [address, { tunnels }] of this.#felt) if (tunnels === 0) this.#felt.delete(address);
  }
}

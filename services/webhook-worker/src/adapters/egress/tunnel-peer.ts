import type { Duplex } from 'node:stream';

/**
 * At which of the addresses behind a proxy's name each tunnel was opened. A socket that is closed has forgotten it, and
 * one with TLS over it may never have known.
 */
const peers = new WeakMap<Duplex, string>();

export function rememberPeer(tunnel: Duplex, address: string | undefined): void {
  if (address !== undefined) peers.set(tunnel, address);
}

export function peerOf(tunnel: Duplex | null | undefined): string | undefined {
  return tunnel ? peers.get(tunnel) : undefined;
}

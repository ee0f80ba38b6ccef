import type { Duplex } from 'node:stream';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';

export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  peer: string | undefined;

  constructor(readonly result: SendResult) {
    super(result.kind);
  }
}

/** HTTP clients wrap the errors of their agents, so this searches the chain of causes. */
export function findTunnelError(error: unknown): TunnelError | undefined {
  let cause = error;
  while (typeof cause === 'object' && cause !== null) {
    if (cause instanceof TunnelError) return cause;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return undefined;
}

/**
 * Returns Node's error code or the error's name. Avoids `instanceof`, because the error may come from another realm.
 */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown';
}

/** A closed socket, or a TLS socket over a tunnel, may not have the proxy's address. */
const peers = new WeakMap<Duplex, string>();

export function rememberPeer(tunnel: Duplex, address: string | undefined): void {
  if (address !== undefined) peers.set(tunnel, address);
}

/**
 * Returns the IP address of the proxy that a request used.
 * @param error of a failed request, which may have no socket.
 */
export function findPeer(tunnel: Duplex | null | undefined, error?: unknown): string | undefined {
  return findTunnelError(error)?.peer ?? (tunnel ? peers.get(tunnel) : undefined);
}

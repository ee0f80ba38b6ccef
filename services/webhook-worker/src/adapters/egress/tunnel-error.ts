import type { Duplex } from 'node:stream';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';

/** A failure of a tunnel or of its TLS handshake. `result` is the result of the request for `classifyAttempt`. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  /** The IP address of the proxy that accepted the connection. Undefined if none did. */
  peer: string | undefined;

  constructor(readonly result: SendResult) {
    super(result.kind);
  }
}

/** Finds a tunnel error in a chain of causes, because HTTP clients wrap the errors of their agents. */
export function findTunnelError(error: unknown): TunnelError | undefined {
  let cause = error;
  while (typeof cause === 'object' && cause !== null) {
    if (cause instanceof TunnelError) return cause;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return undefined;
}

/**
 * Returns Node's code for an error, or the name of the error. Avoids `instanceof`, because the error may come from
 * another realm.
 */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown';
}

/**
 * The IP address of the proxy of each tunnel. A closed socket no longer has this address, and a TLS socket over a
 * tunnel may never have had it.
 */
const peers = new WeakMap<Duplex, string>();

export function rememberPeer(tunnel: Duplex, address: string | undefined): void {
  if (address !== undefined) peers.set(tunnel, address);
}

/**
 * Returns the IP address of the proxy that a request used.
 *
 * @param error the error of a failed request. Such a request may have no socket.
 */
export function findPeer(tunnel: Duplex | null | undefined, error?: unknown): string | undefined {
  return findTunnelError(error)?.peer ?? (tunnel ? peers.get(tunnel) : undefined);
}

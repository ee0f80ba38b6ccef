import type { Duplex } from 'node:stream';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';

/** No tunnel to the receiver: says where it went wrong, in the words that classification understands. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  /** The address of the proxy that took the connection, where one did. */
  peer: string | undefined;

  constructor(readonly result: SendResult) {
    super(result.kind);
  }
}

/** The tunnel error in a chain of causes; HTTP clients wrap what their agents throw. */
export function findTunnelError(error: unknown): TunnelError | undefined {
  let cause = error;
  while (typeof cause === 'object' && cause !== null) {
    if (cause instanceof TunnelError) return cause;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return undefined;
}

/** Node's code of a system or protocol error, or its name. By shape: an error may come from another realm. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown';
}

/**
 * At which of the addresses behind a proxy's name each tunnel was opened. A socket that is closed has forgotten it, and
 * one with TLS over it may never have known.
 */
const peers = new WeakMap<Duplex, string>();

export function rememberPeer(tunnel: Duplex, address: string | undefined): void {
  if (address !== undefined) peers.set(tunnel, address);
}

/** @param error the one that the request ended in, where it did: there may be no socket then. */
export function peerOf(tunnel: Duplex | null | undefined, error?: unknown): string | undefined {
  return findTunnelError(error)?.peer ?? (tunnel ? peers.get(tunnel) : undefined);
}

import type { TLSSocket } from 'node:tls';
import type { Monotonic } from '@artist-watch/delivery/decide/ports';
import { LRUCache } from 'lru-cache';
import type { TunnelTarget } from './open-tunnel.js';

interface KnownSession {
  readonly session: Buffer;
  /** When the receiver last showed its certificate, on the monotonic clock. */
  readonly verifiedAtMs: number;
}

/** A few KB each. */
const MAX_SESSIONS = 1_000;
/** After this a receiver must show its certificate again: one that has expired, or was taken away, is noticed then. */
const CERTIFICATE_COUNTS_FOR_MS = 300_000;

/**
 * The TLS sessions of receivers, for the next tunnel to resume (RFC 8446 section 2.2, RFC 5246 section 7.3): a busy
 * receiver gets new tunnels all the time, and to verify its certificate is most of what a handshake costs this side.
 *
 * A session is resumed for the same host and port only, and a receiver that does not know it any more shakes hands in
 * full, on the same connection.
 */
export class TlsSessions {
  readonly #known = new LRUCache<string, KnownSession>({ max: MAX_SESSIONS });
  readonly #monotonic: Monotonic;

  constructor(monotonic: Monotonic) {
    this.#monotonic = monotonic;
  }

  /** What to resume with this receiver; undefined when its certificate has to be seen. */
  of(target: TunnelTarget): Buffer | undefined {
    const known = this.#known.get(keyOf(target));
    if (!known || this.#monotonic.nowMs() - known.verifiedAtMs >= CERTIFICATE_COUNTS_FOR_MS) return undefined;
    return known.session;
  }

  /** Keeps what the receiver offers on this connection, which is about to shake hands. */
  keepThoseOf(target: TunnelTarget, socket: TLSSocket): void {
    const key = keyOf(target);
    // Node hands it over once the certificate is verified, not before.
    socket.on('session', (session) => {
      const verifiedAtMs = socket.isSessionReused() ? this.#known.peek(key)?.verifiedAtMs : this.#monotonic.nowMs();
      if (verifiedAtMs !== undefined) this.#known.set(key, { session, verifiedAtMs });
    });
    socket.once('error', () => this.#known.delete(key));
  }
}

function keyOf({ host, port }: TunnelTarget): string {
  return `${host}:${port}`;
}

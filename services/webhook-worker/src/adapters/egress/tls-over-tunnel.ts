import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { connect, rootCertificates, type SecureContext, type TLSSocket } from 'node:tls';
import type { Monotonic } from '@artist-watch/runtime/clock';
import { LRUCache } from 'lru-cache';
import type { TunnelTarget } from './open-tunnel.js';
import { codeOf, TunnelError } from './tunnel-error.js';

/** What all connections through one proxy share. */
export interface TlsState {
  /** Holds the certificate authorities. To read them takes milliseconds. */
  readonly secureContext: SecureContext;
  readonly sessions: TlsSessions;
}

/**
 * Shakes hands with the receiver through a tunnel, verifying its certificate end to end: the proxy sees only bytes.
 *
 * @throws TunnelError
 */
export function tlsOverTunnel(
  tunnel: Socket,
  target: TunnelTarget,
  timeoutMs: number,
  { secureContext, sessions }: TlsState,
): Promise<TLSSocket> {
  const { host } = target;
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: tunnel,
      host,
      session: sessions.of(target),
      // RFC 6066 section 3: no server name for an address, and none with a dot at its end.
      ...(isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
      ALPNProtocols: ['http/1.1'],
      secureContext,
    });
    sessions.keepThoseOf(target, socket);
    const deadline = setTimeout(() => {
      socket.destroy(new TunnelError({ kind: 'timed_out', phase: 'tls' }));
    }, timeoutMs);
    const finish = (settle: () => void) => {
      clearTimeout(deadline);
      socket.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
      settle();
    };
    const onSecure = () => finish(() => resolve(socket));
    const onError = (error: Error) => finish(() => reject(handshakeError(error)));
    const onClose = () => finish(() => reject(new TunnelError({ kind: 'connection_failed', failure: 'closed' })));
    socket.on('secureConnect', onSecure).on('error', onError).on('close', onClose);
  });
}

function handshakeError(error: Error): TunnelError {
  if (error instanceof TunnelError) return error;
  const code = codeOf(error);
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    // Node says ECONNRESET too when the other side closes in the middle of the handshake.
    return new TunnelError({ kind: 'connection_failed', failure: 'reset' });
  }
  // Node's code for a certificate failure that it has no name for. Only the message has OpenSSL's reason.
  return new TunnelError({ kind: 'tls_failed', code: code === 'UNSPECIFIED' ? error.message : code });
}

export interface AuthorityFiles {
  /** `WEBHOOK_CA_FILE` */
  readonly own: string | undefined;
  /** `NODE_EXTRA_CA_CERTS`, which Node has read for itself. */
  readonly nodes: string | undefined;
}

/**
 * Who may sign the certificates of receivers, in PEM; undefined: whom Node trusts. Node takes a list in place of all that
 * it trusts, so that is in the list too.
 *
 * @throws when the file of our own cannot be read; Node passes over its own then, and so is it passed over here.
 */
export function receiverAuthorities({ own, nodes }: AuthorityFiles): string[] | undefined {
  if (own === undefined) return undefined;
  return [...rootCertificates, ...readIfThere(nodes), readFileSync(own, 'utf8')];
}

function readIfThere(file: string | undefined): string[] {
  if (!file) return [];
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
}

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

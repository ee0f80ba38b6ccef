import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { connect, rootCertificates, type SecureContext, type TLSSocket } from 'node:tls';
import type { Monotonic } from '@artist-watch/runtime/clock';
import { LRUCache } from 'lru-cache';
import { errorCode, TunnelError, type TunnelTarget } from './open-tunnel.js';

export interface TlsState {
  /** Parsing certificate authorities takes milliseconds, so all connections share one context. */
  readonly secureContext: SecureContext;
  readonly sessions: TlsSessions;
}

/**
 * Performs the TLS handshake with the receiver, so the proxy only sees encrypted bytes.
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
      session: sessions.find(target),
      // The server name must not be an IP address or end with a dot (RFC 6066, section 3).
      ...(isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
      ALPNProtocols: ['http/1.1'],
      secureContext,
    });
    sessions.collectFrom(target, socket);
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
  const code = errorCode(error);
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    // Node also uses ECONNRESET when the other side closes the connection during the handshake.
    return new TunnelError({ kind: 'connection_failed', failure: 'reset' });
  }
  // Some certificate errors have no code, so OpenSSL's reason is only in the message.
  return new TunnelError({ kind: 'tls_failed', code: code === 'UNSPECIFIED' ? error.message : code });
}

export interface AuthorityFiles {
  readonly webhookCaFile: string | undefined;
  readonly nodeExtraCaCerts: string | undefined;
}

/**
 * Returns PEM certificate authorities, including Node's defaults, or undefined if the defaults are enough.
 * @throws if `webhookCaFile` cannot be read. Like Node, ignores an unreadable `nodeExtraCaCerts`.
 */
export function receiverAuthorities({ webhookCaFile, nodeExtraCaCerts }: AuthorityFiles): string[] | undefined {
  if (webhookCaFile === undefined) return undefined;
  return [...rootCertificates, ...readIfExists(nodeExtraCaCerts), readFileSync(webhookCaFile, 'utf8')];
}

function readIfExists(file: string | undefined): string[] {
  if (!file) return [];
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
}

interface CachedSession {
  readonly session: Buffer;
  readonly verifiedAtMs: number;
}

const MAX_SESSIONS = 1_000;
/** Certificates are verified again after this time, so that expired or replaced ones are noticed. */
const REVERIFY_AFTER_MS = 300_000;

/**
 * Resumes TLS sessions with receivers (RFC 8446, section 2.2; RFC 5246, section 7.3), because verifying a certificate
 * accounts for most of our handshake time.
 */
export class TlsSessions {
  readonly #sessions = new LRUCache<string, CachedSession>({ max: MAX_SESSIONS });
  readonly #monotonic: Monotonic;

  constructor(monotonic: Monotonic) {
    this.#monotonic = monotonic;
  }

  /** Returns undefined if the certificate needs to be verified again. */
  find(target: TunnelTarget): Buffer | undefined {
    const cached = this.#sessions.get(sessionKey(target));
    if (!cached || this.#monotonic.nowMs() - cached.verifiedAtMs >= REVERIFY_AFTER_MS) return undefined;
    return cached.session;
  }

  /** Stores any sessions that the receiver offers. Call this before the handshake. */
  collectFrom(target: TunnelTarget, socket: TLSSocket): void {
    const key = sessionKey(target);
    // Node only emits a session once it has verified the certificate.
    socket.on('session', (session) => {
      const verifiedAtMs = socket.isSessionReused() ? this.#sessions.peek(key)?.verifiedAtMs : this.#monotonic.nowMs();
      if (verifiedAtMs !== undefined) this.#sessions.set(key, { session, verifiedAtMs });
    });
    socket.once('error', () => this.#sessions.delete(key));
  }
}

function sessionKey({ host, port }: TunnelTarget): string {
  return `${host}:${port}`;
}

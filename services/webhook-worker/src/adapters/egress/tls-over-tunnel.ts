import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, rootCertificates, type SecureContext, type TLSSocket } from 'node:tls';
import { monotonicMs } from '@artist-watch/runtime/clock';
import { LRUCache } from 'lru-cache';
import { errorCode, TunnelError, type TunnelTarget } from './open-tunnel.js';

const MAX_SESSIONS = 1_000;
/** Certificates are verified again after this time, so that expired or replaced ones are noticed. */
const REVERIFY_AFTER_MS = 300_000;

/**
 * Performs TLS handshakes with receivers, so the proxy only sees encrypted bytes. Resumes sessions (RFC 8446, section
 * 2.2; RFC 5246, section 7.3), because verifying a certificate accounts for most of our handshake time.
 */
export class ReceiverTls {
  readonly #sessions = new LRUCache<string, { readonly session: Buffer; readonly verifiedAtMs: number }>({
    max: MAX_SESSIONS,
  });
  /** Parsing certificate authorities takes milliseconds, so all connections share one context. */
  readonly #secureContext: SecureContext;
  readonly #nowMs: () => number;

  constructor(ca: string[] | undefined, nowMs = monotonicMs) {
    this.#secureContext = createSecureContext(ca ? { ca } : {});
    this.#nowMs = nowMs;
  }

  /** @throws TunnelError */
  connect(tunnel: Socket, { host, port }: TunnelTarget, timeoutMs: number): Promise<TLSSocket> {
    const key = `${host}:${port}`;
    const cached = this.#sessions.get(key);
    return new Promise((resolve, reject) => {
      const socket = connect({
        socket: tunnel,
        host,
        session: cached && this.#nowMs() - cached.verifiedAtMs < REVERIFY_AFTER_MS ? cached.session : undefined,
        // The server name must not be an IP address or end with a dot (RFC 6066, section 3).
        ...(isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
        ALPNProtocols: ['http/1.1'],
        secureContext: this.#secureContext,
      });
      // Node only emits a session once it has verified the certificate.
      socket.on('session', (session) => {
        const verifiedAtMs = socket.isSessionReused() ? this.#sessions.peek(key)?.verifiedAtMs : this.#nowMs();
        if (verifiedAtMs !== undefined) this.#sessions.set(key, { session, verifiedAtMs });
      });
      const deadline = setTimeout(
        () => socket.destroy(new TunnelError({ kind: 'timed_out', phase: 'tls' })),
        timeoutMs,
      );
      const onClose = () => {
        clearTimeout(deadline);
        reject(new TunnelError({ kind: 'connection_failed', failure: 'closed' }));
      };
      socket.once('close', onClose);
      socket.once('secureConnect', () => {
        clearTimeout(deadline);
        socket.off('close', onClose);
        resolve(socket);
      });
      socket.once('error', (error) => {
        this.#sessions.delete(key);
        reject(handshakeError(error));
      });
    });
  }
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

/**
 * Returns PEM certificate authorities, including Node's defaults, or undefined if the defaults are enough.
 * @throws if `webhookCaFile` cannot be read. Like Node, ignores an unreadable `nodeExtraCaCerts`.
 */
export function receiverAuthorities(webhookCaFile?: string, nodeExtraCaCerts?: string): string[] | undefined {
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

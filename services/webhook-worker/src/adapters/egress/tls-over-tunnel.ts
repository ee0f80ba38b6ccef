import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import type { TunnelTarget } from './open-tunnel.js';
import type { TlsSessions } from './tls-sessions.js';
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
  return new TunnelError({ kind: 'tls_failed', code });
}

import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import type { TunnelTarget } from './open-tunnel.js';
import { codeOf, TunnelError } from './tunnel-error.js';

/**
 * Shakes hands with the receiver through a tunnel, verifying its certificate end to end: the proxy sees only bytes.
 *
 * @throws TunnelError
 */
export function tlsOverTunnel(
  tunnel: Socket,
  { host }: TunnelTarget,
  timeoutMs: number,
  secureContext: SecureContext,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: tunnel,
      host,
      // RFC 6066 section 3: no server name for an address.
      ...(isIP(host) ? {} : { servername: host }),
      ALPNProtocols: ['http/1.1'],
      secureContext,
    });
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

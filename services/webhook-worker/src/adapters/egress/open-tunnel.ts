import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { REASON_HEADERS } from '@artist-watch/domain/delivery/proxy-dialects';
import { connectionTo, credentialsOf } from './proxy-address.js';
import { codeOf, TunnelError } from './tunnel-error.js';

export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

export interface OpenTunnelOptions {
  /** Until the proxy has answered; one that is silent is cut then. */
  readonly timeoutMs: number;
  readonly lookup: LookupFunction;
  /** Sent to the proxy, which is ours; what goes through the tunnel never carries it. */
  readonly traceparent?: string | undefined;
  /** The proxy took the connection, and is to be asked for a tunnel now. */
  onConnected(connection: Socket): void;
}

/**
 * Asks a proxy for a tunnel by CONNECT (RFC 9110 section 9.3.6), for https and http alike, so that what a proxy answers
 * can never be taken for the receiver's answer.
 *
 * @param proxy its address, with user and password where it wants them.
 * @throws TunnelError
 */
export function openTunnel(
  proxy: URL,
  target: TunnelTarget,
  { timeoutMs, lookup, traceparent, onConnected }: OpenTunnelOptions,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
    const request = (proxy.protocol === 'https:' ? https : http).request({
      ...connectionTo(proxy, lookup),
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...credentialsOf(proxy), ...(traceparent === undefined ? {} : { traceparent }) },
    });
    let connected = false;
    const settle = (finish: () => void) => {
      clearTimeout(deadline);
      finish();
    };
    const deadline = setTimeout(() => {
      // A proxy that does not even take the connection is not there; one that takes it and says nothing is silent.
      request.destroy(
        new TunnelError(connected ? { kind: 'proxy_silent' } : { kind: 'proxy_unreachable', code: 'ETIMEDOUT' }),
      );
    }, timeoutMs);
    request.on('socket', (socket) => {
      socket.once('connect', () => {
        connected = true;
        onConnected(socket);
      });
    });
    request.on('connect', (answer, socket, head) => {
      settle(() => {
        if (answer.statusCode !== 200) {
          socket.destroy();
          reject(
            new TunnelError({ kind: 'proxy_answered_connect', status: answer.statusCode ?? 0, ...reasonIn(answer) }),
          );
          return;
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket as Socket);
      });
    });
    request.on('error', (error) => settle(() => reject(tunnelErrorOf(error, connected, proxy))));
    request.end();
  });
}

function reasonIn(answer: http.IncomingMessage) {
  for (const reasonSource of REASON_HEADERS) {
    const reason = answer.headers[reasonSource];
    if (typeof reason === 'string') return { reason, reasonSource };
  }
  return {};
}

function tunnelErrorOf(error: Error, connected: boolean, proxy: URL): TunnelError {
  if (error instanceof TunnelError) return error;
  const code = codeOf(error);
  if (!connected) return new TunnelError({ kind: 'proxy_unreachable', code });
  const isHandshake =
    proxy.protocol === 'https:' && /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_|SELF_SIGNED|EPROTO)/.test(code);
  return new TunnelError(isHandshake ? { kind: 'proxy_tls_failed', code } : { kind: 'proxy_broke_connect' });
}

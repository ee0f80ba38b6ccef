import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { REASON_HEADERS } from '@artist-watch/domain/delivery/proxy-dialects';
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

/**
 * How a connection to a proxy is made: by its name, or at one of the addresses behind it. With TLS it is the name that is
 * asked for and verified, wherever the connection goes; Node would take the `Host` of the request, which is the target's.
 */
export function connectionTo({ hostname, port, protocol }: URL, lookup: LookupFunction, peer?: string) {
  const host = withoutBrackets(hostname);
  return {
    host: peer ?? host,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    servername: isIP(host) ? '' : host,
    lookup,
    // Every address that the look-up found, until one takes the connection (RFC 8305).
    autoSelectFamily: true,
    agent: false,
  };
}

/** RFC 9110 section 11.7.2: `Proxy-Authorization`, when the address holds a user. */
export function credentialsOf(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const userInfo = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` };
}

/** The host of a URL as `net` wants it: an IPv6 address has brackets there (RFC 3986 section 3.2.2). */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import { REASON_HEADERS } from '@artist-watch/domain/delivery/proxy-dialects';

export type ProxyEndpoint = ReturnType<typeof proxyEndpoint>;

/**
 * Prepares what all requests to a proxy have in common. TLS verifies the proxy's name, even on a connection to one of its
 * addresses. By default, Node would verify the `Host` header, which contains the target.
 */
export function proxyEndpoint(
  { protocol, hostname, port, host: name, username, password }: URL,
  lookup: LookupFunction,
) {
  const isTls = protocol === 'https:';
  const host = withoutBrackets(hostname);
  const userInfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  // Basic authentication for proxies (RFC 9110, section 11.7.2).
  const credentials = { 'Proxy-Authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` };
  const authorization: Readonly<Record<string, string>> = username === '' ? {} : credentials;
  return {
    /** Host and port. */
    name,
    isTls,
    transport: isTls ? https : http,
    connection: {
      host,
      port: Number(port) || (isTls ? 443 : 80),
      servername: isIP(host) ? '' : host,
      lookup,
      // Node tries all addresses until one accepts the connection (RFC 8305).
      autoSelectFamily: true,
      agent: false,
    },
    authorization,
  };
}

export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a tunnel with CONNECT (RFC 9110, section 9.3.6), even for http, so that the proxy's responses can be told apart
 * from the receiver's.
 * @param timeoutMs maximum time to wait for the response to CONNECT
 * @param traceparent header for our proxy that is never sent through the tunnel
 * @throws TunnelError
 */
export function openTunnel(
  proxy: ProxyEndpoint,
  target: TunnelTarget,
  {
    timeoutMs,
    traceparent,
    onConnected,
  }: {
    timeoutMs: number;
    traceparent: string | undefined;
    onConnected(connection: Socket): void;
  },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
    const request = proxy.transport.request({
      ...proxy.connection,
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...proxy.authorization, ...(traceparent !== undefined && { traceparent }) },
    });
    let connected = false;
    const deadline = setTimeout(() => {
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
    request.on('connect', (response, socket, head) => {
      clearTimeout(deadline);
      if (response.statusCode !== 200) {
        socket.destroy();
        const status = response.statusCode ?? 0;
        const isNamed = isIP(withoutBrackets(target.host)) === 0;
        reject(new TunnelError({ kind: 'proxy_answered_connect', status, isNamed, ...readReason(response) }));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket as Socket);
    });
    request.on('error', (error) => {
      clearTimeout(deadline);
      reject(toTunnelError(error, connected, proxy.isTls));
    });
    request.end();
  });
}

function readReason(response: http.IncomingMessage) {
  for (const reasonSource of REASON_HEADERS) {
    const reason = response.headers[reasonSource];
    if (typeof reason === 'string') return { reason, reasonSource };
  }
  return {};
}

function toTunnelError(error: Error, connected: boolean, isTls: boolean): TunnelError {
  if (error instanceof TunnelError) return error;
  const code = errorCode(error);
  if (!connected) return new TunnelError({ kind: 'proxy_unreachable', code });
  const isHandshake = isTls && /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_|SELF_SIGNED|EPROTO)/.test(code);
  return new TunnelError(isHandshake ? { kind: 'proxy_tls_failed', code } : { kind: 'proxy_broke_connect' });
}

/** `net` doesn't accept IPv6 addresses in brackets (RFC 3986, section 3.2.2). */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export class TunnelError extends Error {
  peer: string | undefined;

  constructor(readonly result: SendResult) {
    super(result.kind);
  }
}

/** Returns Node's error code or the error's name. */
export function errorCode(error: NodeJS.ErrnoException): string {
  return error.code ?? error.name;
}

/** Stores the proxy's address, because closed sockets and TLS sockets over a tunnel may not have it. */
export const peers = new WeakMap<Duplex, string | undefined>();

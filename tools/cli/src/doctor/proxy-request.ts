import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { REASON_HEADERS, translateProxyReason } from '@artist-watch/domain/delivery/proxy-dialects';

export type ConnectResult =
  | { readonly kind: 'tunnel'; readonly socket: Socket }
  /** The reason is one of our codes (docs/reference/egress.md). Null if it is unknown. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string | null }
  | { readonly kind: 'broken'; readonly error: unknown };

/** Opens a tunnel to `host:port` (RFC 9110 section 9.3.6). The caller must close it. */
export function requestTunnel(proxy: URL, authority: string, timeoutMs: number): Promise<ConnectResult> {
  return new Promise((resolve) => {
    const request = send(proxy, 'CONNECT', authority, { Host: authority }, timeoutMs);
    request.on('connect', (answer, socket) => {
      const status = answer.statusCode ?? 0;
      if (status === 200) {
        resolve({ kind: 'tunnel', socket: socket as Socket });
        return;
      }
      socket.destroy();
      resolve({ kind: 'refused', status, reason: readReason(answer, status) });
    });
    request.on('error', (error) => resolve({ kind: 'broken', error }));
    request.end();
  });
}

/** Sends `OPTIONS *` to the proxy itself (RFC 9110 section 9.3.7). Returns the status. */
export function requestOptions(proxy: URL, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = send(proxy, 'OPTIONS', '*', {}, timeoutMs);
    request.on('response', (answer) => {
      resolve(answer.statusCode ?? 0);
      request.destroy();
    });
    request.on('error', reject);
    request.end();
  });
}

function send(proxy: URL, method: string, path: string, headers: Record<string, string>, timeoutMs: number) {
  return (proxy.protocol === 'https:' ? https : http).request({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80),
    method,
    path,
    headers: { ...headers, ...authorizationHeader(proxy) },
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  });
}

function authorizationHeader(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const userInfo = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` };
}

function readReason(answer: http.IncomingMessage, status: number): string | null {
  for (const source of REASON_HEADERS) {
    const text = answer.headers[source];
    if (typeof text === 'string') return translateProxyReason(source, text, status);
  }
  return null;
}

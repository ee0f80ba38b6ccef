import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ClientRules, missingRight } from '../application/client-access.js';
import { parseAuthorityForm } from '../application/reach-target.js';
import { refuseClient, refuseOnResponse, refuseOnSocket } from './refusal-answer.js';
import { serveTunnel, type TunnelHostOptions, type TunnelRequest } from './tunnel-host.js';
import { joinSockets } from './tunnel-sockets.js';

export interface ProxyServerOptions extends TunnelHostOptions, ClientRules {
  /** A tunnel without traffic in either direction is closed after this time, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** This signal is aborted by the first stop request, some time before `stop` is called. */
  readonly stopping: AbortSignal;
}

const MAX_HEADER_BYTES = 8_192;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 30_000;
const CONNECTIONS_CHECKING_MS = 5_000;

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';

/** Creates the proxy's HTTP server. It supports only CONNECT (RFC 9110 section 9.3.6), for both http and https. */
export function createProxyServer({ idleTimeoutMs, stopping, ...options }: ProxyServerOptions): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECKING_MS,
    // Clients may omit the Host header, because a CONNECT request names its target in the request line.
    requireHostHeader: false,
    noDelay: true,
  });

  server.on('connect', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    // Node's type allows other transports, but without TLS this is always a Socket.
    const client = duplex as Socket;
    client.on('error', () => undefined);
    const { remoteAddress } = client;
    const lack = missingRight(options, remoteAddress, request.headers['proxy-authorization']);
    if (lack) {
      options.journal.clientRefused(lack, remoteAddress);
      return refuseClient(client, lack);
    }
    const tunnel: TunnelRequest = {
      target: parseAuthorityForm(request.url ?? ''),
      client,
      traceparent: traceparentIn(request),
      refuse: (refusal) => refuseOnSocket(client, refusal),
      pass: (destination) => {
        client.write(ESTABLISHED);
        return joinSockets({ client, destination, head, idleTimeoutMs });
      },
    };
    void serveTunnel(tunnel, options);
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // This is a worker's health check (RFC 9110 section 9.3.7). It opens no tunnel and is not logged.
    if (request.method === 'OPTIONS' && request.url === '*') {
      // A proxy that is about to stop fails this check before it rejects tunnels, so that workers switch to other
      // proxies.
      return stopping.aborted ? refuseOnResponse(response, 'overloaded') : void response.writeHead(204).end();
    }
    response.setHeader('Allow', 'CONNECT');
    refuseOnResponse(response, 'bad_request', 405);
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuseOnSocket(socket, 'bad_request', STATUS_BY_PARSER_CODE[error.code ?? '']);
  });

  return server;
}

function traceparentIn({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
}

const STATUS_BY_PARSER_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Cidr, cidrContains, parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import { isSameSecret } from '@artist-watch/domain/account/credentials';
import { parseAuthorityForm } from '../application/reach-target.js';
import { refuseClient, refuseOnResponse, refuseOnSocket, serveTunnel, type TunnelHostOptions } from './tunnel-host.js';
import type { MissingRight } from './tunnel-journal.js';

export interface ProxyServerOptions extends TunnelHostOptions {
  /** If empty, all IP addresses are allowed. */
  readonly clientCidrs: readonly Cidr[];
  /** Credentials in the form `user:password`. If empty, none are required. */
  readonly clientCredentials: readonly string[];
  /** Aborted at the first stop request, whereas `stop` is only called once the linger time is over. */
  readonly stopping: AbortSignal;
}

const MAX_HEADER_BYTES = 8_192;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 30_000;
const CONNECTIONS_CHECKING_MS = 5_000;

/** Creates an HTTP server that only supports CONNECT (RFC 9110 section 9.3.6), for both http and https. */
export function createProxyServer(options: ProxyServerOptions): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECKING_MS,
    // The target of a CONNECT request is in the request line.
    requireHostHeader: false,
    noDelay: true,
  });

  server.on('connect', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    // Without TLS, the stream is always a Socket.
    const client = duplex as Socket;
    client.on('error', () => undefined);
    const { remoteAddress } = client;
    // Node joins repeated headers into one string.
    const traceparent = request.headers.traceparent as string | undefined;
    const lack = missingRight(options, remoteAddress, request.headers['proxy-authorization']);
    if (lack) {
      options.journal.clientRefused(lack, remoteAddress);
      return refuseClient(client, lack);
    }
    void serveTunnel({ target: parseAuthorityForm(request.url ?? ''), client, head, traceparent }, options);
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Workers send OPTIONS as a health check (RFC 9110 section 9.3.7). It is not logged.
    if (request.method === 'OPTIONS' && request.url === '*') {
      // A failed check makes workers switch to another proxy before this one starts rejecting tunnels.
      return options.stopping.aborted ? refuseOnResponse(response, 'overloaded') : void response.writeHead(204).end();
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

const STATUS_BY_PARSER_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Returns undefined if the client may use this proxy.
 *
 * @param authorization the value of `Proxy-Authorization` (RFC 7617).
 */
function missingRight(
  { clientCidrs, clientCredentials }: ProxyServerOptions,
  remoteAddress = '',
  authorization = '',
): MissingRight | undefined {
  if (clientCidrs.length > 0) {
    const address = parseIpAddress(withoutMapping(remoteAddress));
    if (!address || !clientCidrs.some((range) => cidrContains(range, address))) return 'address';
  }
  if (clientCredentials.length === 0) return undefined;
  const given = Buffer.from(/^basic +([\w+/=-]+)$/i.exec(authorization)?.[1] ?? '', 'base64');
  // Compares all credentials, so that the response time doesn't reveal which ones matched.
  const matches = clientCredentials.filter((known) => isSameSecret(given, known));
  return matches.length > 0 ? undefined : 'credentials';
}

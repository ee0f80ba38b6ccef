import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { serve } from '@artist-watch/local-stack/processes/serve';

export type ConnectReaction =
  | 'tunnel'
  /** Reads the request and never responds. */
  | 'silent'
  /** Closes the connection instead of responding. */
  | 'reset'
  /** The tunnel leads to this port on the loopback address, whatever the target is. */
  | { readonly leadsTo: number }
  | ProxyAnswer;

interface ProxyAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ScriptedProxy {
  readonly url: string;
  readonly port: number;
  readonly connects: readonly string[];
  readonly connectHeaders: readonly IncomingHttpHeaders[];
  reactWith(reaction: ConnectReaction | ((authority: string, index: number) => ConnectReaction)): void;
  /** Health checks then report an overload. */
  askToBeLeftOut(isFull: boolean): void;
  close(): Promise<void>;
}

/** This proxy blocks no IP addresses. */
export async function startScriptedProxy(
  reaction: ConnectReaction = 'tunnel',
  port = 0,
  host = '127.0.0.1',
): Promise<ScriptedProxy> {
  let react: (authority: string, index: number) => ConnectReaction = () => reaction;
  const connects: string[] = [];
  const connectHeaders: IncomingHttpHeaders[] = [];
  let isFull = false;
  const server = createServer((_request, response) => {
    if (isFull) response.writeHead(503, { 'X-Egress-Error': 'overloaded' }).end();
    else response.writeHead(400).end('only CONNECT is served');
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const authority = request.url ?? '';
    connects.push(authority);
    connectHeaders.push(request.headers);
    const chosen = react(authority, connects.length - 1);
    if (chosen === 'silent') return;
    if (chosen === 'reset') client.resetAndDestroy();
    else if (chosen === 'tunnel') tunnel(authority, client);
    else if ('leadsTo' in chosen) tunnel(`127.0.0.1:${chosen.leadsTo}`, client);
    else client.end(rawAnswer(chosen));
  });
  const served = await serve(server, { port, host });
  return {
    url: `http://${host}:${served.port}`,
    ...served,
    connects,
    connectHeaders,
    reactWith(next) {
      react = typeof next === 'function' ? next : () => next;
    },
    askToBeLeftOut(next) {
      isFull = next;
    },
  };
}

function tunnel(authority: string, client: Socket): void {
  const { hostname, port } = new URL(`http://${authority}`);
  const upstream = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80 });
  upstream.on('error', () => undefined);
  const onRefused = () => client.end(rawAnswer({ status: 502, headers: { 'X-Egress-Error': 'connection_refused' } }));
  upstream.once('error', onRefused);
  upstream.once('connect', () => {
    upstream.off('error', onRefused);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  upstream.once('close', (broken) => (broken ? client.resetAndDestroy() : client.destroy()));
  client.once('close', () => upstream.destroy());
}

function rawAnswer({ status, headers = {}, body = '' }: ProxyAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} scripted\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

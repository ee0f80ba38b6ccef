import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { serve } from '@artist-watch/local-stack/processes/serve';
import type { Certificate } from './certificates.js';
import { until } from './until.js';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly receivedAt: Date;
  /** Requests on the same kept-alive connection have the same number, starting at 1. */
  readonly connection: number;
}

export interface Answer {
  /** Default: 204. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly delayMs?: number;
  /** Sends the status line and the body, but never ends the response. */
  readonly neverEnds?: boolean;
}

/** `hang` never responds. `reset` closes the connection without a response. */
export type Reaction = Answer | 'hang' | 'reset';

/** The index counts requests from 0. */
export type Script = (request: ReceivedRequest, index: number) => Reaction | Promise<Reaction>;

export interface Receiver {
  /** The URL has no query: `http://127.0.0.1:PORT/webhooks`. */
  readonly url: string;
  readonly port: number;
  /** Requests are in the order in which their bodies were complete. */
  readonly requests: readonly ReceivedRequest[];
  readonly connectionCount: number;
  answerWith(script: Script | Reaction): void;
  /** Returns the first `count` requests. */
  waitFor(count: number, deadlineMs?: number): Promise<readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly script?: Script | Reaction;
  readonly certificate?: Certificate;
  readonly port?: number;
  readonly host?: string;
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const connections = new WeakMap<Socket, number>();
  let connectionCount = 0;
  let script = toScript(options.script ?? {});

  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const received = await record(request, connections.get(request.socket) ?? 0);
    requests.push(received);
    const reaction = await script(received, requests.length - 1);
    if (reaction === 'hang') return;
    if (reaction === 'reset') request.socket.resetAndDestroy();
    else await send(reaction, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    onRequest(request, response).catch(() => response.destroy());
  };
  const server = options.certificate
    ? createHttpsServer({ key: options.certificate.key, cert: options.certificate.cert }, listener)
    : createHttpServer(listener);
  server.keepAliveTimeout = 60_000;
  server.on(options.certificate ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, ++connectionCount);
  });
  const { port, close } = await serve(server, { port: options.port ?? 0 });

  return {
    url: `${options.certificate ? 'https' : 'http'}://${options.host ?? '127.0.0.1'}:${port}/webhooks`,
    port,
    requests,
    get connectionCount() {
      return connectionCount;
    },
    answerWith(next) {
      script = toScript(next);
    },
    async waitFor(count, deadlineMs) {
      await until(`${count} requests`, () => requests.length >= count, deadlineMs);
      return requests.slice(0, count);
    },
    close,
  };
}

function toScript(script: Script | Reaction): Script {
  return typeof script === 'function' ? script : () => script;
}

async function record(request: IncomingMessage, connection: number): Promise<ReceivedRequest> {
  const body = await buffer(request);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
    receivedAt: new Date(),
    connection,
  };
}

async function send(answer: Answer, response: ServerResponse): Promise<void> {
  if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
  response.writeHead(answer.status ?? 204, answer.headers);
  if (answer.neverEnds) response.write(answer.body ?? ' ');
  else response.end(answer.body);
}

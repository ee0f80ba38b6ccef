import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { StartedService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { readConfig } from '../config.js';

/** A proxy with destinations on the loopback interface. `close` closes the proxy and the destinations. */
export class ProxyRig {
  readonly #cleanUps: (() => unknown)[] = [];
  readonly stopSignal = new AbortController();
  port = 0;
  opsPort = 0;
  #service: StartedService | undefined;

  async start(service: Promise<StartedService>): Promise<this> {
    this.#service = await service;
    this.port = Number(this.#service.addresses.egress);
    this.opsPort = Number(this.#service.addresses.ops);
    return this;
  }

  stop(forced: AbortSignal = AbortSignal.abort()): Promise<void> {
    this.stopSignal.abort();
    const service = this.#service;
    this.#service = undefined;
    return service ? service.stop(forced) : Promise.resolve();
  }

  onClose(cleanUp: () => unknown): void {
    this.#cleanUps.push(cleanUp);
  }

  async close(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
    await this.stop();
  }

  async listen(onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<{ port: number; server: Server }> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      this.#cleanUps.push(() => socket.destroy());
      onConnection(socket);
    });
    return { port: await this.listenWith(server, host), server };
  }

  async listenWith(server: Server, host = '127.0.0.1'): Promise<number> {
    this.#cleanUps.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return (server.address() as AddressInfo).port;
  }

  async closedPort(): Promise<number> {
    const { port, server } = await this.listen(() => undefined);
    server.close();
    await once(server, 'close');
    return port;
  }

  async connect(
    authority: string,
    headers: Record<string, string> = {},
  ): Promise<{ answer: IncomingMessage; socket: Socket; body: string }> {
    const connecting = request({
      host: '127.0.0.1',
      port: this.port,
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
    });
    connecting.end();
    const [answer, socket, head] = (await once(connecting, 'connect')) as [IncomingMessage, Socket, Buffer];
    socket.on('error', () => undefined);
    this.#cleanUps.push(() => socket.destroy());
    if (answer.statusCode === 200) {
      socket.unshift(head);
      return { answer, socket, body: '' };
    }
    return { answer, socket, body: `${head}${await textOf(socket)}` };
  }

  async raw(text = '', { allowHalfOpen = false } = {}): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: this.port, allowHalfOpen });
    this.#cleanUps.push(() => socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  }

  async metric(name: string, ...labels: string[]): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.opsPort}/metrics`)).text();
    const line = text
      .split('\n')
      .find((one) => one.startsWith(name) && labels.every((label) => one.includes(`="${label}"`)));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Returns everything the other side sends. Unlike an async iterator, leaves this side open. */
export function textOf(stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => resolve(Buffer.concat(chunks).toString()));
    stream.once('error', reject);
    stream.once('close', () =>
      reject(
        Object.assign(new Error('the connection was closed before the end of the response'), { code: 'ECONNRESET' }),
      ),
    );
  });
}

export const TEST_CONFIG = readConfig({
  EGRESS_PORT: '0',
  OPS_PORT: '0',
  LISTEN_HOST: '127.0.0.1',
  LOG_LEVEL: 'error',
  SHUTDOWN_DEADLINE: '5s',
  SHUTDOWN_DELAY: '0s',
  EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  EGRESS_CONNECT_TIMEOUT: '2s',
  EGRESS_IDLE_TIMEOUT: '1m',
  EGRESS_MAX_TUNNELS: '100',
});

import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { drain, withGracefulShutdown } from './listen.js';

const never = new AbortController().signal;

describe('a server that stops', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let stopping = new AbortController();
  let port = 0;
  let stop: (forced?: AbortSignal) => Promise<void> = async () => undefined;

  async function serve(listener: RequestListener): Promise<void> {
    stopping = new AbortController();
    const server = createServer(withGracefulShutdown(listener, stopping.signal));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    stop = (forced = never) => (server.listening ? drain(server, forced) : Promise.resolve());
  }

  async function ask(): Promise<IncomingMessage> {
    const [answer] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer;
  }

  afterEach(async () => {
    await stop(AbortSignal.abort());
    agent.destroy();
  });

  test('goes on answering, and says each time that the connection ends', async () => {
    await serve((_request, response) => response.end('well'));
    expect((await ask()).headers.connection).toBe('keep-alive');
    stopping.abort();
    expect((await ask()).headers.connection).toBe('close');
    expect((await ask()).statusCode).toBe(200);
  });

  test('waits for the request in hand', async () => {
    let answer = () => undefined as unknown;
    const asked = new Promise<void>((resolve) => {
      void serve((_request, response) => {
        answer = () => response.end('late');
        resolve();
      }).then(() => {
        response = ask();
      });
    });
    let response: Promise<IncomingMessage> | undefined;
    await asked;
    const stopped = stop();
    answer();
    expect((await response)?.statusCode).toBe(200);
    await stopped;
  });

  test('waits for nobody who asks nothing', async () => {
    await serve((_request, response) => response.end('well'));
    await ask();
    await stop();
  });

  test('cuts what is left when the shutdown is forced', async () => {
    await serve(() => undefined);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'connect');
    const forced = new AbortController();
    const stopped = stop(forced.signal);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    forced.abort();
    await Promise.all([stopped, closed]);
  });
});

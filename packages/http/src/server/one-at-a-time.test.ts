import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { drain } from '@artist-watch/runtime/settings/start-failure';
import { afterEach, describe, expect, test } from '@jest/globals';
import { oneAtATime } from './one-at-a-time.js';

const never = new AbortController().signal;

describe('server shutdown', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let stopping = new AbortController();
  let port = 0;
  let stop: (forced?: AbortSignal) => Promise<void> = async () => undefined;

  async function serve(listener: RequestListener): Promise<void> {
    stopping = new AbortController();
    const server = createServer(oneAtATime(listener, stopping.signal));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    stop = (forced = never) => (server.listening ? drain(server, forced) : Promise.resolve());
  }

  async function request(): Promise<IncomingMessage> {
    const [response] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  }

  afterEach(async () => {
    await stop(AbortSignal.abort());
    agent.destroy();
  });

  test('a stopping server keeps responding, and announces in each response that the connection will be closed', async () => {
    await serve((_request, response) => response.end('well'));
    expect((await request()).headers.connection).toBe('keep-alive');
    stopping.abort();
    expect((await request()).headers.connection).toBe('close');
    expect((await request()).statusCode).toBe(200);
  });

  test('a stopping server waits for a running request', async () => {
    let respond = () => undefined as unknown;
    const received = new Promise<void>((resolve) => {
      void serve((_request, response) => {
        respond = () => response.end('late');
        resolve();
      }).then(() => {
        response = request();
      });
    });
    let response: Promise<IncomingMessage> | undefined;
    await received;
    const stopped = stop();
    respond();
    expect((await response)?.statusCode).toBe(200);
    await stopped;
  });

  test('a stopping server does not wait for idle connections', async () => {
    await serve((_request, response) => response.end('well'));
    await request();
    await stop();
  });

  test('a forced shutdown closes the remaining connections', async () => {
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

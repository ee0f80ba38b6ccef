import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { compose } from './compose.js';
import { ProxyRig, TEST_CONFIG, textOf } from './testing/running-proxy.js';

let rig: ProxyRig;
beforeEach(async () => {
  rig = new ProxyRig();
  await rig.start(compose(TEST_CONFIG, rig.stopSignal.signal));
});
afterEach(() => rig.close());

const readyStatus = async () => (await fetch(`http://127.0.0.1:${rig.opsPort}/readyz`)).status;

describe('shutdown of the proxy', () => {
  test('a stopping proxy is unready and rejects new tunnels, but lets open tunnels finish', async () => {
    const { port } = await rig.listen((socket) => socket.on('data', (chunk) => socket.end(`late answer to ${chunk}`)));
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    expect(await readyStatus()).toBe(200);

    const stopped = rig.stop(new AbortController().signal);
    expect(await readyStatus()).toBe(503);
    const refused = await rig.connect(`127.0.0.1:${port}`);
    expect(refused.answer.headers['x-egress-error']).toBe('overloaded');

    socket.write('question');
    expect(await textOf(socket)).toBe('late answer to question');
    await stopped;
    await expect(rig.raw()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('a stopping proxy fails its health check before it rejects new tunnels', async () => {
    const { port } = await rig.listen((socket) => socket.end('well'));
    expect(await textOf(await rig.raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))).toContain(
      ' 204 ',
    );
    rig.stopSignal.abort();
    expect(await textOf(await rig.raw('OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'))).toContain(
      'X-Egress-Error: overloaded',
    );
    expect(await textOf((await rig.connect(`127.0.0.1:${port}`)).socket)).toBe('well');
  });

  test('a stopping proxy rejects a new tunnel on a connection that was already open', async () => {
    const { port } = await rig.listen((socket) => socket.resume());
    await rig.connect(`127.0.0.1:${port}`);
    const idle = await rig.raw(`CONNECT 127.0.0.1:${await rig.closedPort()} HT`);
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 1);
    const forced = new AbortController();
    const stopped = rig.stop(forced.signal);
    idle.write('TP/1.1\r\nHost: x\r\n\r\n');
    expect(await textOf(idle)).toContain('X-Egress-Error: overloaded');
    forced.abort();
    await stopped;
  });

  test('a forced shutdown closes open tunnels', async () => {
    const { port } = await rig.listen((socket) => socket.resume());
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    socket.resume();
    const closed = once(socket, 'close');
    const forced = new AbortController();
    const stopped = rig.stop(forced.signal);
    forced.abort();
    await Promise.all([stopped, closed]);
  });

  test('the proxy stops immediately if no tunnel is open', async () => {
    await rig.stop(new AbortController().signal);
  });
});

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dialTcp } from './adapters/tunnel-host.js';
import { compose, type EgressParts } from './compose.js';
import type { EgressConfig } from './config.js';
import { ProxyRig, TEST_CONFIG, textOf } from './testing/running-proxy.js';

let rig: ProxyRig;
beforeEach(() => {
  rig = new ProxyRig();
});
afterEach(() => rig.close());

function startProxy(config: Partial<EgressConfig> = {}, parts: EgressParts = {}) {
  return rig.start(compose({ ...TEST_CONFIG, ...config }, rig.stopSignal.signal, parts));
}

describe('CONNECT tunnels', () => {
  test('a tunnel forwards bytes in both directions', async () => {
    await startProxy();
    const { port } = await rig.listen((socket) => socket.on('data', (chunk) => socket.write(`echo ${chunk}`)));
    const { answer, socket } = await rig.connect(`127.0.0.1:${port}`);
    expect(answer.statusCode).toBe(200);
    socket.write('one');
    expect(String((await once(socket, 'data'))[0])).toBe('echo one');
  });

  test('a tunnel opens if the destination responded in time, even if the proxy stalled', async () => {
    const connectTimeoutMs = 100;
    const dial: EgressParts['dial'] = (...how) => {
      const dialling = dialTcp(...how);
      const wakesAtMs = performance.now() + 3 * connectTimeoutMs;
      while (performance.now() < wakesAtMs);
      return dialling;
    };
    await startProxy({ EGRESS_CONNECT_TIMEOUT: connectTimeoutMs }, { dial });
    const { port } = await rig.listen(() => undefined);
    expect((await rig.connect(`127.0.0.1:${port}`)).answer.statusCode).toBe(200);
  });

  test('TLS in a tunnel is end to end, so the proxy never decrypts it', async () => {
    await startProxy();
    const psk = { psk: Buffer.alloc(32, 7), identity: 'receiver' };
    const server = createTlsServer({ ciphers: 'PSK', pskCallback: () => psk.psk, maxVersion: 'TLSv1.2' }, (socket) => {
      socket.end('secret answer');
    });
    const port = await rig.listenWith(server);
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    const tls = connectTls({
      socket,
      ciphers: 'PSK',
      maxVersion: 'TLSv1.2',
      pskCallback: () => psk,
      checkServerIdentity: () => undefined,
    });
    expect(await textOf(tls)).toBe('secret answer');
  });

  test('a tunnel forwards bytes that the client sends right after the CONNECT', async () => {
    await startProxy();
    const received: string[] = [];
    const { port } = await rig.listen((socket) => socket.on('data', (chunk) => received.push(String(chunk))));
    await rig.raw(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\nearly bytes`);
    await rig.until(() => received.join('') === 'early bytes');
  });

  test('a client that has finished sending still gets the whole response', async () => {
    await startProxy();
    const { port } = await rig.listen(async (socket) => {
      const question = await textOf(socket);
      socket.write(`you said ${question}, `);
      setImmediate(() => socket.end('and that is all'));
    });
    const client = await rig.raw('', { allowHalfOpen: true });
    client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    await once(client, 'data');
    client.end('hello');
    expect(await textOf(client)).toBe('you said hello, and that is all');
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 0);
    expect(await rig.metric('artist_watch_egress_tunnel_ends_total', 'finished')).toBe(1);
  });

  test('a destination that has finished sending still gets the rest of the request', async () => {
    await startProxy();
    let received = '';
    const { port } = await rig.listen((socket) => {
      socket.end('early answer');
      socket.on('data', (chunk) => {
        received += chunk;
      });
    });
    const client = await rig.raw('', { allowHalfOpen: true });
    client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    expect(await textOf(client)).toContain('early answer');
    client.end('late question');
    await rig.until(() => received === 'late question');
  });

  test('a side that sends faster than the other side reads is slowed down, and no data is lost', async () => {
    await startProxy();
    const total = 64 * 1024 * 1024;
    let sender: Socket | undefined;
    const { port } = await rig.listen((socket) => {
      sender = socket;
      const chunk = Buffer.alloc(1024 * 1024, 1);
      let sent = 0;
      const fill = () => {
        while (sent < total) {
          sent += chunk.length;
          if (!socket.write(chunk)) {
            socket.once('drain', fill);
            return;
          }
        }
        socket.end();
      };
      fill();
    });
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    await once(socket, 'readable');
    // The client doesn't read, so the sender stops once all socket buffers are full.
    let before = -1;
    await rig.until(async () => {
      const now = sender?.bytesWritten ?? 0;
      const stands = now === before;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return stands;
    });
    expect(socket.bytesRead).toBeLessThan(total / 2);
    let received = 0;
    for await (const chunk of socket) received += chunk.length;
    expect(received).toBe(total);
  });

  test.each(['resetAndDestroy', 'destroy'] as const)(
    'the connection to the destination is closed if the client disconnects (%s)',
    async (how) => {
      await startProxy();
      let destination: Socket | undefined;
      const { port } = await rig.listen((socket) => {
        destination = socket;
        socket.resume();
        socket.on('end', () => socket.end());
      });
      const { socket } = await rig.connect(`127.0.0.1:${port}`);
      socket[how]();
      await rig.until(() => destination?.closed === true);
      await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 0);
    },
  );

  test.each([
    ['is silent', undefined],
    ['keeps sending', 100],
  ])('the tunnel of a disconnected client is closed, even if the destination %s', async (_what, everyMs) => {
    await startProxy({ EGRESS_IDLE_TIMEOUT: 3_600_000 });
    const { port } = await rig.listen((socket) => {
      socket.resume();
      if (everyMs === undefined) return;
      const sending = setInterval(() => socket.write('.'), everyMs);
      rig.onClose(() => clearInterval(sending));
    });
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    socket.destroy();
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 0);
  });

  test('if the destination resets its connection, the connection of the client is also reset', async () => {
    await startProxy();
    const { port } = await rig.listen((socket) => {
      socket.write('half an ans');
      socket.once('data', () => socket.resetAndDestroy());
    });
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    await once(socket, 'data');
    const failed = new Promise((resolve) => socket.once('error', resolve));
    socket.write('go');
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    await rig.until(async () => (await rig.metric('artist_watch_egress_tunnel_ends_total', 'destination_lost')) === 1);
  });

  test('a tunnel is closed after the idle time without traffic', async () => {
    await startProxy({ EGRESS_IDLE_TIMEOUT: 50 });
    const { port } = await rig.listen(() => undefined);
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    socket.resume();
    await once(socket, 'close');
    await rig.until(async () => (await rig.metric('artist_watch_egress_tunnel_ends_total', 'idle')) === 1);
  });

  test('metrics count open tunnels, tunnel results and bytes', async () => {
    await startProxy();
    const { port } = await rig.listen((socket) => socket.on('data', () => socket.write('12345')));
    const { socket } = await rig.connect(`127.0.0.1:${port}`);
    socket.write('123');
    await once(socket, 'data');
    expect(await rig.metric('artist_watch_egress_open_tunnels')).toBe(1);
    socket.resetAndDestroy();
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 0);
    expect(await rig.metric('artist_watch_egress_tunnels_total', 'opened')).toBe(1);
    expect(await rig.metric('artist_watch_egress_bytes_total', 'to_destination')).toBe(3);
    expect(await rig.metric('artist_watch_egress_bytes_total', 'from_destination')).toBe(5);
  });
});

describe('names of destinations', () => {
  function answering(answers: readonly string[][]) {
    let asked = 0;
    return {
      resolve: async () => answers[asked++] ?? [],
      asked: () => asked,
    };
  }

  test('a name is looked up only once, and the connection goes to the address that was checked', async () => {
    const { resolve, asked } = answering([['127.0.0.1'], ['127.0.0.2']]);
    await startProxy({}, { resolve });
    const reached: string[] = [];
    const { port } = await rig.listen((socket) => {
      reached.push(socket.localAddress ?? '');
      socket.end('here');
    }, '0.0.0.0');
    const { answer } = await rig.connect(`rebinding.example:${port}`);
    expect(answer.statusCode).toBe(200);
    await rig.until(() => reached.length === 1);
    expect(reached).toEqual(['127.0.0.1']);
    expect(asked()).toBe(1);
  });

  test('a name is rejected after its address changes to a forbidden one', async () => {
    await startProxy({}, { resolve: answering([['127.0.0.1'], ['10.0.0.1']]).resolve });
    const { port } = await rig.listen((socket) => socket.end());
    expect((await rig.connect(`rebinding.example:${port}`)).answer.statusCode).toBe(200);
    const { answer } = await rig.connect(`rebinding.example:${port}`);
    expect([answer.statusCode, answer.headers['x-egress-error']]).toEqual([403, 'forbidden_address']);
  });

  test('a name is rejected if any of its addresses is forbidden, whatever their order', async () => {
    const answers = [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
      ['127.0.0.1', '::1'],
    ];
    let connections = 0;
    await startProxy({}, { resolve: async () => answers.shift() ?? [] });
    const { port } = await rig.listen(() => {
      connections += 1;
    });
    while (answers.length > 0) {
      const { answer } = await rig.connect(`mixed.example:${port}`);
      expect(answer.headers['x-egress-error']).toBe('forbidden_address');
    }
    expect(connections).toBe(0);
  });

  test('a name is reached at another address if one address refuses the connection', async () => {
    await startProxy({}, { resolve: async () => ['127.0.0.2', '127.0.0.3', '127.0.0.1'] });
    const { port } = await rig.listen((socket) => socket.end('here'), '127.0.0.1');
    const { answer, socket } = await rig.connect(`several.example:${port}`);
    expect(answer.statusCode).toBe(200);
    expect(await textOf(socket)).toBe('here');
  });
});

describe('clients that disconnect early', () => {
  test('a lookup is canceled when no client is waiting for it', async () => {
    let aborted = false;
    const resolve: EgressParts['resolve'] = (_name, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason);
        });
      });
    await startProxy({ EGRESS_CONNECT_TIMEOUT: 60_000 }, { resolve });
    const client = await rig.raw('CONNECT slow.example:443 HTTP/1.1\r\n\r\n');
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 1);
    client.resetAndDestroy();
    await rig.until(() => aborted);
    await rig.until(async () => (await rig.metric('artist_watch_egress_tunnels_total', 'client_gone')) === 1);
  });

  test('a client that disconnects early leaves no open connection to the destination', async () => {
    let answerLookup: (addresses: string[]) => void = () => undefined;
    const resolve = () =>
      new Promise<string[]>((done) => {
        answerLookup = done;
      });
    await startProxy({}, { resolve });
    let destination: Socket | undefined;
    const { port } = await rig.listen((socket) => {
      destination = socket;
      socket.resume();
      socket.on('end', () => socket.end());
    });
    const client = await rig.raw(`CONNECT slow.example:${port} HTTP/1.1\r\n\r\n`);
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 1);
    client.destroy();
    await once(client, 'close');
    answerLookup(['127.0.0.1']);
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 0);
    await rig.until(() => destination === undefined || destination.closed);
  });
});

import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type OperationsServer,
  type OperationsServerOptions,
  SHARED_STORES,
  startOperationsServer,
} from './operations-server.js';

describe('operations server', () => {
  const running: OperationsServer[] = [];
  afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())));

  async function start(options: Partial<OperationsServerOptions> = {}) {
    const server = await startOperationsServer({
      port: 0,
      host: '127.0.0.1',
      signal: new AbortController().signal,
      checks: {},
      metrics: { contentType: 'text/plain; version=0.0.4', metrics: async () => 'up 1\n' },
      ...options,
    });
    running.push(server);
    return (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
  }

  test('/livez does not check any dependencies', async () => {
    let checks = 0;
    const get = await start({ checks: { postgres: async () => (checks += 1) } });
    expect((await get('/livez')).status).toBe(200);
    expect(checks).toBe(0);
  });

  test('/readyz responds with 200 if every dependency is available', async () => {
    const get = await start({ checks: { postgres: async () => 1, redis: async () => 'PONG' } });
    const response = await get('/readyz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ready: true, checks: { postgres: 'ok', redis: 'ok' } });
  });

  test('the body of /readyz explains why a service checks no dependencies', async () => {
    const response = await (await start({ checks: SHARED_STORES }))('/readyz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ready: true, checks: {}, reason: SHARED_STORES });
  });

  test('/readyz responds with 503 and names the failed and hanging dependencies, without error texts', async () => {
    const get = await start({
      checkTimeoutMs: 10,
      checks: {
        postgres: async () => {
          throw new Error('postgres://u:p@db');
        },
        redis: () => new Promise(() => undefined),
        other: async () => 1,
      },
    });
    const response = await get('/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      ready: false,
      checks: { postgres: 'failed', redis: 'timed_out', other: 'ok' },
    });
  });

  test('/readyz checks a hanging dependency only once, however many probes arrive', async () => {
    let started = 0;
    const get = await start({
      checkTimeoutMs: 5,
      checks: {
        redis: () => {
          started += 1;
          return new Promise(() => undefined);
        },
      },
    });
    await Promise.all([get('/readyz'), get('/readyz')]);
    await get('/readyz');
    expect(started).toBe(1);
  });

  test('after a stop request, /readyz fails and /livez still succeeds', async () => {
    const stop = new AbortController();
    const get = await start({ signal: stop.signal });
    expect((await get('/readyz')).status).toBe(200);
    stop.abort();
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/livez')).status).toBe(200);
  });

  test('/metrics responds with the content type of the registry', async () => {
    const get = await start();
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4');
    expect(await response.text()).toBe('up 1\n');
  });

  test('an unknown path gets a 404 or goes to the given handler, and an unsupported method gets a 405', async () => {
    const get = await start();
    expect((await get('/')).status).toBe(404);
    expect((await get('/constructor')).status).toBe(404);
    expect((await get('/livez', { method: 'POST' })).status).toBe(405);
    expect((await get('/livez', { method: 'HEAD' })).status).toBe(200);
    const withPage = await start({ otherwise: (_request, response) => void response.end('queues') });
    expect(await (await withPage('/queues')).text()).toBe('queues');
  });

  test('the error about a port in use names OPS_PORT', async () => {
    const get = await start();
    const port = Number(new URL((await get('/livez')).url).port);
    await expect(start({ port })).rejects.toThrow(`Port ${port} (OPS_PORT) is already in use.`);
  });
});

import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { monitorDatabase } from './database-monitor.js';
import { createLogger } from './logger.js';
import { createMetrics } from './metrics.js';

const url = 'postgresql://user:password@database.test:5432/artist_watch';
const log = createLogger({ service: 'api', level: 'info', stream: new PassThrough() });
const idlePool = { totalCount: 0, idleCount: 0, waitingCount: 0, options: { max: 10 }, on: () => undefined };

test('each scrape reports the busy connections of a pool and the requests that wait for a connection', async () => {
  const metrics = createMetrics({ service: 'api' });
  const pool = { ...idlePool, query: async () => undefined };
  monitorDatabase({ reads: pool, writes: { ...pool, options: { max: 3 } } }, { url, log, metrics });
  Object.assign(pool, { totalCount: 10, idleCount: 2, waitingCount: 3 });
  const text = await metrics.registry.metrics();
  expect(text).toContain('artist_watch_database_pool_connections{pool="reads",state="busy",service="api"} 8');
  expect(text).toContain('artist_watch_database_pool_connections{pool="reads",state="idle",service="api"} 2');
  expect(text).toContain('artist_watch_database_pool_size{pool="reads",service="api"} 10');
  expect(text).toContain('artist_watch_database_pool_waiting{pool="reads",service="api"} 3');
  expect(text).toContain('artist_watch_database_pool_size{pool="writes",service="api"} 3');
});

test('each scrape reports whether PostgreSQL responds, and overlapping scrapes share one query', async () => {
  const metrics = createMetrics({ service: 'api' });
  let respond: () => void = () => undefined;
  const hanging = new Promise<void>((resolve) => {
    respond = resolve;
  });
  let queries = 0;
  monitorDatabase(
    {
      available: { ...idlePool, query: async () => undefined },
      refusing: { ...idlePool, query: () => Promise.reject(new Error('refused')) },
      hanging: {
        ...idlePool,
        query() {
          queries += 1;
          return hanging;
        },
      },
    },
    { url, log, metrics },
  );
  const texts = await Promise.all([metrics.registry.metrics(), metrics.registry.metrics()]);
  expect(queries).toBe(1);
  for (const text of texts) {
    expect(text).toContain('artist_watch_database_up{pool="available",service="api"} 1');
    expect(text).toContain('artist_watch_database_up{pool="refusing",service="api"} 0');
    expect(text).toContain('artist_watch_database_up{pool="hanging",service="api"} 0');
  }
  respond();
  expect(await metrics.registry.metrics()).toContain('artist_watch_database_up{pool="hanging",service="api"} 1');
});

test('an unresponsive PostgreSQL server and its recovery are each logged once, with the name of the server', async () => {
  const metrics = createMetrics({ service: 'api' });
  const stream = new PassThrough();
  let isDown = false;
  const query = () => (isDown ? Promise.reject(new Error('refused')) : Promise.resolve());
  monitorDatabase(
    { all: { ...idlePool, query } },
    { url, log: createLogger({ service: 'api', level: 'info', stream }), metrics },
  );
  for (const down of [false, true, true, false, false]) {
    isDown = down;
    await metrics.registry.metrics();
  }
  await new Promise(setImmediate);
  expect(linesIn(stream)).toEqual([
    expect.objectContaining({
      level: 'warn',
      event: 'database.unavailable',
      server: 'database.test:5432',
      pool: 'all',
    }),
    expect.objectContaining({
      level: 'info',
      event: 'database.available',
      server: 'database.test:5432',
      pool: 'all',
      unavailableMs: expect.any(Number),
    }),
  ]);
});

test("connections that are lost together are logged once, with the server's name but without the password", async () => {
  const stream = new PassThrough();
  const emitter = new EventEmitter();
  const pool = {
    ...idlePool,
    query: async () => undefined,
    on: (event: 'error', listener: (error: Error) => void) => emitter.on(event, listener),
  };
  monitorDatabase(
    { reads: pool, writes: pool },
    {
      url,
      log: createLogger({ service: 'api', level: 'info', stream }),
      metrics: createMetrics({ service: 'api' }),
    },
  );
  for (let connection = 0; connection < 5; connection += 1) emitter.emit('error', new Error('terminated'));
  await new Promise(setImmediate);
  expect(linesIn(stream)).toEqual([
    expect.objectContaining({ event: 'database.connection_lost', server: 'database.test:5432' }),
  ]);
});

function linesIn(stream: PassThrough) {
  const text = String(stream.read() ?? '');
  expect(text).not.toContain('password');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

import { expect, test } from '@jest/globals';
import { createMetrics } from './metrics.js';
import { definePoolMetrics } from './pool-metrics.js';

test("each scrape reports a pool's busy connections and the requests that wait for a connection", async () => {
  const metrics = createMetrics({ service: 'api' });
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0, options: { max: 10 }, query: async () => undefined };
  definePoolMetrics(metrics, { reads: pool, writes: { ...pool, options: { max: 3 } } });
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
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0, options: { max: 10 } };
  let queries = 0;
  definePoolMetrics(metrics, {
    available: { ...pool, query: async () => undefined },
    refusing: { ...pool, query: () => Promise.reject(new Error('refused')) },
    hanging: {
      ...pool,
      query() {
        queries += 1;
        return hanging;
      },
    },
  });
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

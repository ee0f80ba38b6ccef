import { expect, test } from '@jest/globals';
import { createMetrics } from './metrics.js';
import { definePoolMetrics } from './pool-metrics.js';

test('a pool tells at each scrape how many of its connections are busy, and who waits for one', async () => {
  const metrics = createMetrics({ service: 'api' });
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0, options: { max: 10 }, query: async () => undefined };
  definePoolMetrics(metrics, { reads: pool, writes: { ...pool, options: { max: 3 } } });
  Object.assign(pool, { totalCount: 10, idleCount: 2, waitingCount: 3 });
  const text = await metrics.registry.metrics();
  expect(text).toContain('database_pool_connections{pool="reads",state="busy",service="api"} 8');
  expect(text).toContain('database_pool_connections{pool="reads",state="idle",service="api"} 2');
  expect(text).toContain('database_pool_size{pool="reads",service="api"} 10');
  expect(text).toContain('database_pool_waiting{pool="reads",service="api"} 3');
  expect(text).toContain('database_pool_size{pool="writes",service="api"} 3');
});

test('a pool tells whether PostgreSQL answers, and at once so again when one that hung answers', async () => {
  const metrics = createMetrics({ service: 'api' });
  let answer: () => void = () => undefined;
  const hanging = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0, options: { max: 10 } };
  let asked = 0;
  definePoolMetrics(metrics, {
    well: { ...pool, query: async () => undefined },
    refusing: { ...pool, query: () => Promise.reject(new Error('refused')) },
    hanging: {
      ...pool,
      query() {
        asked += 1;
        return hanging;
      },
    },
  });
  const texts = await Promise.all([metrics.registry.metrics(), metrics.registry.metrics()]);
  expect(asked).toBe(1);
  for (const text of texts) {
    expect(text).toContain('database_up{pool="well",service="api"} 1');
    expect(text).toContain('database_up{pool="refusing",service="api"} 0');
    expect(text).toContain('database_up{pool="hanging",service="api"} 0');
  }
  answer();
  expect(await metrics.registry.metrics()).toContain('database_up{pool="hanging",service="api"} 1');
});

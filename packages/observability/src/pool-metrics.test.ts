import { expect, test } from '@jest/globals';
import { createMetrics } from './metrics.js';
import { definePoolMetrics } from './pool-metrics.js';

test('a pool tells at each scrape how many of its connections are busy, and who waits for one', async () => {
  const metrics = createMetrics({ service: 'api' });
  const pool = { totalCount: 0, idleCount: 0, waitingCount: 0, options: { max: 10 } };
  definePoolMetrics(metrics, pool);
  Object.assign(pool, { totalCount: 10, idleCount: 2, waitingCount: 3 });
  const text = await metrics.registry.metrics();
  expect(text).toContain('database_pool_connections{state="busy",service="api"} 8');
  expect(text).toContain('database_pool_connections{state="idle",service="api"} 2');
  expect(text).toContain('database_pool_size{service="api"} 10');
  expect(text).toContain('database_pool_waiting{service="api"} 3');
});

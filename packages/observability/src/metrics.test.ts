import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createMetrics } from './metrics.js';

test('a process reports metrics about itself and its event loop, labeled with the service', async () => {
  const text = await createMetrics({ service: 'api' }).registry.metrics();
  expect(text).toMatch(/process_cpu_user_seconds_total\{service="api"\}/);
  expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds\{service="api"\}/);
});

test('a process reports its version, its revision and the version of Node', async () => {
  const read = async () =>
    (await createMetrics({ service: 'api' }).registry.getSingleMetric('artist_watch_build_info')?.get())?.values;
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const node_version = process.versions.node;
  expect(await read()).toEqual([{ value: 1, labels: { version, revision: 'unknown', node_version } }]);

  process.env.ARTIST_WATCH_VERSION = '2.3.4';
  process.env.ARTIST_WATCH_REVISION = 'fe2b6074';
  try {
    expect(await read()).toEqual([{ value: 1, labels: { version: '2.3.4', revision: 'fe2b6074', node_version } }]);
  } finally {
    delete process.env.ARTIST_WATCH_VERSION;
    delete process.env.ARTIST_WATCH_REVISION;
  }
});

test('the metric for busy seconds increases by the time that the event loop was busy', async () => {
  const { registry } = createMetrics({ service: 'api' });
  const busySeconds = async () => {
    const text = await registry.getSingleMetricAsString('nodejs_eventloop_active_seconds_total');
    return Number(/_total\{service="api"\} (\S+)/.exec(text)?.[1]);
  };
  const before = await busySeconds();
  const end = performance.now() + 50;
  while (performance.now() < end);
  // The event loop's current iteration is only counted once it ends.
  await new Promise((resolve) => setImmediate(resolve));
  expect((await busySeconds()) - before).toBeGreaterThan(0.04);
});

test('counters, gauges and histograms are reported with their labels', async () => {
  const metrics = createMetrics({ service: 'api' });
  metrics.counter({ name: 'artist_watch_tunnels_total', help: 'h', labels: ['result'] }).inc({ result: 'open' });
  metrics.gauge({ name: 'artist_watch_depth', help: 'h', collect: (gauge) => gauge.set(7) });
  metrics.gauge({ name: 'artist_watch_open', help: 'h' }).inc();
  const seconds = metrics.histogram({
    name: 'artist_watch_answer_seconds',
    help: 'h',
    labels: ['route'],
    buckets: [0.1, 1],
  });
  seconds.observe({ route: '/v1/changes' }, 0.5);
  const text = await metrics.registry.metrics();
  expect(text).toContain('artist_watch_tunnels_total{result="open",service="api"} 1');
  expect(text).toContain('artist_watch_depth{service="api"} 7');
  expect(text).toContain('artist_watch_open{service="api"} 1');
  expect(text).toContain('artist_watch_answer_seconds_bucket{le="1",service="api",route="/v1/changes"} 1');
});

test('a gauge whose source is unavailable is omitted, and all others are reported', async () => {
  const metrics = createMetrics({ service: 'api' });
  let unavailable = false;
  const read = async () => {
    if (unavailable) throw new Error('connection refused');
    return 3;
  };
  metrics.gauge({ name: 'artist_watch_overdue_seconds', help: 'h', collect: async (gauge) => gauge.set(await read()) });
  metrics.gauge({
    name: 'artist_watch_jobs',
    help: 'h',
    labels: ['state'],
    collect: async (gauge) => gauge.set({ state: 'due' }, await read()),
  });
  metrics.counter({ name: 'artist_watch_polls_total', help: 'h' }).inc();
  expect(await metrics.registry.metrics()).toContain('artist_watch_overdue_seconds{service="api"} 3');

  unavailable = true;
  const text = await metrics.registry.metrics();
  expect(text).not.toMatch(/^artist_watch_(overdue_seconds|jobs)\{/m);
  expect(text).toContain('artist_watch_polls_total{service="api"} 1');

  unavailable = false;
  expect(await metrics.registry.metrics()).toContain('artist_watch_jobs{state="due",service="api"} 3');
});

test('several registries in one process are independent, and each rejects a duplicate name', () => {
  createMetrics({ service: 'a' }).counter({ name: 'artist_watch_x_total', help: 'h' });
  const metrics = createMetrics({ service: 'b' });
  metrics.counter({ name: 'artist_watch_x_total', help: 'h' });
  expect(() => metrics.counter({ name: 'artist_watch_x_total', help: 'h' })).toThrow('already been registered');
});

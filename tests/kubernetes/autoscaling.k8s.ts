import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { freePort } from '@artist-watch/local-stack/processes/free-port';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../harness/until.js';
import { blocksOf, type Cluster, report, startCluster, timeoutMs } from './cluster.js';
import { findControlPlane } from './control-plane.js';
import { findKeda, startKeda, startPrometheus } from './keda.js';

const programs = findControlPlane();
const keda = findKeda();
const SLOTS = 256;

let cluster: Cluster;
let metrics: Server;
let prometheus: { stop(): Promise<void> };
/** Receivers never respond, so each used slot stays in use. */
let due = 0;

const bash = (script: string) => cluster.bash(script);

async function workers(): Promise<number> {
  const deployment = '/apis/apps/v1/namespaces/artist-watch/deployments/webhook-worker';
  return JSON.parse(await cluster.plane.request('GET', deployment)).status.readyReplicas ?? 0;
}

/** Returns the backlog per worker that the autoscaler last saw, and the number of workers that it requested. */
async function autoscaler(): Promise<{ waiting: number; wanted: number }> {
  const resource = '/apis/autoscaling/v2/namespaces/artist-watch/horizontalpodautoscalers/keda-hpa-webhook-worker';
  const { currentMetrics, desiredReplicas } = JSON.parse(await cluster.plane.request('GET', resource)).status;
  const waiting: string = currentMetrics?.[0]?.external?.current.averageValue ?? '0';
  // Parses a Kubernetes quantity such as 428 or 428571m.
  return { waiting: Number.parseFloat(waiting) / (waiting.endsWith('m') ? 1_000 : 1), wanted: desiredReplicas };
}

async function seriesOfWorkers(): Promise<string> {
  const count = await workers();
  const inFlight = Array.from({ length: count }, (_, index) => Math.min(SLOTS, Math.max(0, due - index * SLOTS)));
  const waiting = due - inFlight.reduce((sum, each) => sum + each, 0);
  const namespace = 'namespace="artist-watch"';
  return [
    ...inFlight.map((value, pod) => `artist_watch_webhook_requests_in_flight{${namespace},pod="${pod}"} ${value}`),
    ...inFlight.map((_, pod) => `artist_watch_webhook_request_slots{${namespace},pod="${pod}"} ${SLOTS}`),
    `artist_watch_delivery_queue_jobs{${namespace},state="waiting",shard="0"} ${waiting}`,
    `artist_watch_delivery_queue_jobs{${namespace},state="overdue",shard="0"} 0`,
    // The retries are due in an hour, so they are no reason to scale.
    `artist_watch_delivery_queue_jobs{${namespace},state="delayed",shard="0"} 20000`,
    `artist_watch_delivery_database_due{${namespace}} 0`,
    '',
  ].join('\n');
}

(programs && keda ? describe : describe.skip)('with KEDA on a real control plane', () => {
  beforeAll(async () => {
    if (!programs || !keda) return;
    cluster = await startCluster(programs);
    metrics = createServer((_request, response) => {
      seriesOfWorkers().then(
        (text) => response.end(text),
        () => response.writeHead(503).end(),
      );
    }).listen(0, '127.0.0.1');
    await once(metrics, 'listening');
    const port = await freePort();
    const target = `127.0.0.1:${(metrics.address() as AddressInfo).port}`;
    prometheus = await startPrometheus(cluster.plane, keda.prometheus, port, target);
    await startKeda(cluster.plane, keda);
    // Change the URL of Prometheus, as an installer does. Surplus workers stop immediately, so that a fallback to fewer
    // workers is visible.
    const file = path.join(cluster.checkout, 'k8s/components/autoscaling/webhook-worker.yaml');
    const text = await readFile(file, 'utf8');
    const adapted = text
      .replaceAll(/serverAddress: .*/g, `serverAddress: http://127.0.0.1:${port}`)
      .replace('stabilizationWindowSeconds: 300', 'stabilizationWindowSeconds: 0');
    await writeFile(file, adapted);
    await bash('kubectl apply -k k8s/overlays/production');
  }, timeoutMs);

  afterAll(async () => {
    metrics?.close();
    await cluster?.stop();
  }, timeoutMs);

  test(
    'two workers are enough, even if many retries are due hours later',
    async () => {
      await until('two workers', async () => (await workers()) === 2, 120_000);
      await until(
        'the autoscaler to read its metrics',
        () =>
          bash('kubectl -n artist-watch wait --for=condition=Active=false --timeout=1s scaledobject webhook-worker'),
        60_000,
      );
      expect(await workers()).toBe(2);
    },
    timeoutMs,
  );

  test(
    '1,050 due deliveries to slow receivers add a third worker within 30 s, and later slots for all of them',
    async () => {
      const began = performance.now();
      const seconds = () => Math.round((performance.now() - began) / 100) / 10;
      due = 1_050;
      await until('a third worker', async () => (await workers()) > 2, 60_000);
      const first = seconds();
      report(`a third worker after ${first} s`);
      await until('slots for all', async () => (await workers()) * SLOTS >= due, 180_000);
      report(`${await workers()} workers after ${seconds()} s`);
      expect(first).toBeLessThanOrEqual(30);
    },
    timeoutMs,
  );

  test(
    'a failed Prometheus does not remove workers, even if there are more than the fallback number',
    async () => {
      due = 3_000;
      await until('more than six workers', async () => (await workers()) > 6, 180_000);
      const before = await workers();
      await prometheus.stop();
      // The fallback is 500 for each of six or more workers, although less than half of that was waiting.
      await until('a decision on the fallback', async () => (await autoscaler()).waiting > 400, 180_000);
      const { wanted } = await autoscaler();
      report(`${wanted} workers wanted, ${before} before`);
      expect(wanted).toBeGreaterThanOrEqual(before);
      await bash('kubectl -n artist-watch wait --for=condition=Fallback --timeout=30s scaledobject webhook-worker');
    },
    timeoutMs,
  );

  test(
    'a restore stops the workers and starts them again, as its runbook says',
    async () => {
      const [stop = '', start = ''] = (await blocksOf('docs/runbooks/restoring-a-backup.md')).filter((block) =>
        block.includes('paused-replicas'),
      );
      await bash(stop);
      expect(await workers()).toBe(0);
      await bash(start);
      await until('workers', async () => (await workers()) >= 2, 120_000);
    },
    timeoutMs,
  );
});

if (!programs || !keda) {
  test.skip('with KEDA: not installed; tests/kubernetes/build.sh builds KEDA and needs Go, and Debian has a package of Prometheus', () =>
    undefined);
}

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readMetricDefinitions, seriesNames } from '@artist-watch/metrics/metric-definitions';
import { createMetrics } from '@artist-watch/observability/metrics';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { COMPONENTS, MONITORING, type RuleFile, readRules, ruleFiles } from './k8s/alert-rules.js';
import { findProgram } from './k8s/find-program.js';
import { K8S, parseManifests, readManifests } from './k8s/manifests.js';
import { groupingLabelsIn, selectorsIn } from './k8s/promql.js';
import { checkRules, expectValues, promtool } from './k8s/promtool.js';
import { mistakesIn } from './k8s/validate-manifest.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Prometheus and the PodMonitor add these labels to every series. */
const EVERYWHERE = ['service', 'namespace', 'pod', 'container', 'job', 'instance', 'egress_pool'];

/**
 * kube-state-metrics (docs/metrics/workload of 2.15; all are stable there) and the blackbox exporter export these
 * series.
 */
const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  kube_deployment_status_condition: ['deployment', 'condition', 'status'],
  kube_pod_container_status_waiting_reason: ['container', 'pod', 'reason'],
  kube_job_failed: ['job_name', 'condition'],
  kube_horizontalpodautoscaler_status_current_replicas: ['horizontalpodautoscaler'],
  kube_horizontalpodautoscaler_spec_max_replicas: ['horizontalpodautoscaler'],
  probe_success: [],
  probe_ssl_earliest_cert_expiry: [],
};

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboards = readdirSync(path.join(MONITORING, 'dashboards')).map((file) => {
  const text = readFileSync(path.join(MONITORING, 'dashboards', file), 'utf8');
  return { file, ...(JSON.parse(text) as { readonly uid: string; readonly panels: readonly Panel[] }) };
});

function expressions(): (readonly [place: string, expr: string])[] {
  const { recordings, alerts } = readRules();
  const panels = dashboards.flatMap(({ file, panels: each }) =>
    each.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`${file}: ${title}`, expr] as const)),
  );
  const triggers = readManifests('rendered/production.yaml')
    .filter(({ kind }) => kind === 'ScaledObject')
    .flatMap(({ metadata, spec }) =>
      (spec.triggers as { metadata: { query: string } }[]).map(
        (each) => [`autoscaler of ${metadata.name}`, each.metadata.query] as const,
      ),
    );
  return [
    ...recordings.map(({ record, expr }) => [record, expr] as const),
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...panels,
    ...triggers,
  ];
}

const labelsBySeries = new Map<string, readonly string[]>();
beforeAll(async () => {
  for (const definition of await readMetricDefinitions(root)) {
    for (const name of seriesNames(definition)) labelsBySeries.set(name, [...definition.labels, 'le']);
  }
  for (const { name, type } of await createMetrics({ service: 'x' }).registry.getMetricsAsJSON()) {
    const names = String(type) === 'histogram' ? seriesNames({ name, type: 'histogram' }) : [name];
    for (const each of names) if (!labelsBySeries.has(each)) labelsBySeries.set(each, ['kind', 'le']);
  }
  for (const [name, labels] of Object.entries(OF_OTHERS)) labelsBySeries.set(name, labels);
  for (const { record, expr } of readRules().recordings) {
    labelsBySeries.set(record, [...groupingLabelsIn(expr), 'le']);
  }
});

describe('rules, dashboards and autoscalers', () => {
  test.each(expressions())('%s uses only metrics and labels that the code reports', (_place, expr) => {
    const known: string[] = [...EVERYWHERE];
    for (const { name, matchers } of selectorsIn(expr)) {
      const labels = labelsBySeries.get(name);
      expect([name, labels !== undefined]).toEqual([name, true]);
      for (const { label } of matchers) expect([...EVERYWHERE, ...(labels ?? [])]).toContain(label);
      known.push(...(labels ?? []));
    }
    for (const label of groupingLabelsIn(expr)) expect(known).toContain(label);
  });

  (promtool ? test : test.skip)('rules, dashboards and autoscalers are valid PromQL for Prometheus itself', () =>
    checkRules(expressions().map(([, expr]) => expr)),
  );

  test('metric selectors are found in any form of expression', () => {
    const expression =
      '(sum by (a, b) (rate(x_total{c=~"}[23]\\\\d", d!="e"}[5m])) or 0 * max(y:z)) > bool 0.5 and on (f) absent(w{})';
    expect(selectorsIn(expression)).toEqual([
      {
        name: 'x_total',
        matchers: [
          { label: 'c', operator: '=~', value: '}[23]\\d' },
          { label: 'd', operator: '!=', value: 'e' },
        ],
      },
      { name: 'y:z', matchers: [] },
      { name: 'w', matchers: [] },
    ]);
    expect(groupingLabelsIn(expression)).toEqual(['a', 'b', 'f']);
  });

  test("the workers' autoscaler counts only due jobs, never retries with a later time", () => {
    const [scaler] = readManifests('rendered/production.yaml').filter(({ kind }) => kind === 'ScaledObject');
    const query: string = scaler?.spec.triggers[0].metadata.query;
    const states = selectorsIn(query).flatMap(({ matchers }) => matchers.filter(({ label }) => label === 'state'));
    expect(states).toEqual([{ label: 'state', operator: '=~', value: 'waiting|overdue' }]);
    expect(query).toContain('artist_watch_delivery_database_due');
    expect(scaler?.spec.minReplicaCount).toBe(2);
    expect(scaler?.spec.fallback.replicas).toBeGreaterThanOrEqual(2);
    // If Prometheus fails during a flood, the number of workers must not drop.
    expect(scaler?.spec.fallback.behavior).toBe('currentReplicasIfHigher');
  });

  (promtool ? test : test.skip)(
    'with slow receivers, a thousand due jobs require a third worker, because the slots are in use',
    async () => {
      const [scaler] = readManifests('rendered/production.yaml').filter(({ kind }) => kind === 'ScaledObject');
      const workers = ['a', 'b'];
      const perWorker = 128;
      const series = {
        ...Object.fromEntries(
          workers.map((pod) => [`artist_watch_webhook_request_slots{pod="${pod}"}`, `${perWorker}x2`]),
        ),
        ...Object.fromEntries(
          workers.map((pod) => [`artist_watch_webhook_requests_in_flight{pod="${pod}"}`, `${perWorker}x2`]),
        ),
        'artist_watch_delivery_queue_jobs{state="waiting"}': `${1_050 - workers.length * perWorker}x2`,
        'artist_watch_delivery_queue_jobs{state="overdue"}': '0x2',
        artist_watch_delivery_database_due: '0x2',
      };
      const triggers: { metadata: { query: string; threshold: string } }[] = scaler?.spec.triggers;
      expect(triggers.map(({ metadata }) => metadata.threshold)).toEqual(['500', '0.7']);
      // Kubernetes uses the maximum of ceil(value / threshold): 794 / 500 gives two workers, and 2 / 0.7 gives three.
      await expectValues(series, [
        [triggers[0]?.metadata.query ?? '', 794],
        [triggers[1]?.metadata.query ?? '', 2],
      ]);
    },
  );
});

test('rules and monitors are valid under their schemas', async () => {
  for (const file of ['pod-monitor.yaml', 'probe/probe.yaml', ...ruleFiles]) {
    for (const manifest of parseManifests(readFileSync(path.join(MONITORING, file), 'utf8'))) {
      expect([file, await mistakesIn(manifest)]).toEqual([file, []]);
    }
  }
});

test('every rule file and every dashboard is deployed, each dashboard under its own name', () => {
  const kustomization = readFileSync(path.join(MONITORING, 'kustomization.yaml'), 'utf8');
  const production = readFileSync(path.join(K8S, 'overlays/production/monitoring/kustomization.yaml'), 'utf8');
  for (const component of COMPONENTS) expect(production).toContain(`/monitoring/${component}\n`);
  for (const file of ruleFiles.filter((each) => each.startsWith('rules/'))) expect(kustomization).toContain(file);
  for (const { file } of dashboards) expect(kustomization).toContain(`dashboards/${file}`);
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
});

(findProgram('kubectl') ? test : test.skip)('production deploys every rule, with the URL of its runbook', async () => {
  const overlay = path.join(K8S, 'overlays/production/monitoring');
  const { stdout } = await run('kubectl', ['kustomize', overlay], { maxBuffer: 16 * 1024 * 1024 });
  const deployed = parseManifests(stdout);
  const alerts = deployed
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap(({ spec }) => (spec as RuleFile).groups.flatMap(({ rules }) => rules));
  const { recordings, alerts: defined } = readRules();
  expect(alerts).toHaveLength(recordings.length + defined.length);
  expect(alerts.filter(({ annotations }) => annotations?.runbook_url)).toHaveLength(defined.length);
  expect(deployed.filter(({ metadata }) => metadata.namespace !== 'artist-watch')).toEqual([]);
  expect(deployed.map(({ metadata }) => metadata.name)).not.toContain('links');
});

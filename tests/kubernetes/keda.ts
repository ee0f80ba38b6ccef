import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '@artist-watch/local-stack/processes/free-port';
import { findProgram } from '../contract/k8s/find-program.js';
import { until } from '../harness/until.js';
import type { ControlPlane } from './control-plane.js';

const START_TIMEOUT_MS = 180_000;

/** Undefined if KEDA (build.sh) or Prometheus (Debian's package) is not installed. */
export function findKeda(): Record<'operator' | 'adapter' | 'prometheus', string> | undefined {
  const [operator, adapter, prometheus] = ['keda-operator', 'keda-adapter-local', 'prometheus'].map(findProgram);
  return operator && adapter && prometheus ? { operator, adapter, prometheus } : undefined;
}

/** Registers KEDA's adapter with the API server for external metrics. */
export async function startKeda(plane: ControlPlane, { operator, adapter }: NonNullable<ReturnType<typeof findKeda>>) {
  const { authority, certificate, key } = plane.certificates;
  const certificates = path.join(plane.directory, 'keda');
  await mkdir(certificates);
  for (const [from, name] of [
    [authority, 'ca.crt'] as const,
    [certificate, 'tls.crt'] as const,
    [key, 'tls.key'] as const,
  ]) {
    await copyFile(from, path.join(certificates, name));
  }
  const [grpc, metrics, probes, api, adapterMetrics] = await Promise.all(Array.from({ length: 5 }, freePort));
  const env = { POD_NAMESPACE: 'keda', KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda', WATCH_NAMESPACE: '' };
  await plane.request('POST', '/api/v1/namespaces', { metadata: { name: 'keda' } });
  await plane.run(
    'keda-operator',
    operator,
    [
      ...[`--metrics-service-bind-address=127.0.0.1:${grpc}`, `--metrics-bind-address=127.0.0.1:${metrics}`],
      ...[`--health-probe-bind-address=127.0.0.1:${probes}`, `--cert-dir=${certificates}`, '--zap-log-level=info'],
    ],
    env,
  );
  await until('the operator', async () => (await fetch(`http://127.0.0.1:${probes}/readyz`)).ok, START_TIMEOUT_MS);
  await plane.run(
    'keda-adapter',
    adapter,
    [
      ...['--bind-address=127.0.0.1', `--secure-port=${api}`, `--port=${adapterMetrics}`, `--cert-dir=${certificates}`],
      ...[`--tls-cert-file=${certificates}/tls.crt`, `--tls-private-key-file=${certificates}/tls.key`],
      ...[`--metrics-service-address=127.0.0.1:${grpc}`, `--client-ca-file=${certificates}/ca.crt`],
      ...[`--authentication-kubeconfig=${plane.kubeconfig}`, `--authorization-kubeconfig=${plane.kubeconfig}`],
      `--lister-kubeconfig=${plane.kubeconfig}`,
    ],
    env,
  );
  // Pods have no IP address here, but a Service can be an alias of this machine.
  const service = { name: 'keda-metrics-apiserver', namespace: 'keda' };
  await plane.request('POST', '/api/v1/namespaces/keda/services', {
    metadata: service,
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await plane.request('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1beta1.external.metrics.k8s.io' },
    spec: {
      ...{ group: 'external.metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
      ...{ service: { ...service, port: api }, insecureSkipTLSVerify: true },
    },
  });
  await until(
    'the API of external metrics',
    () => plane.request('GET', '/apis/external.metrics.k8s.io/v1beta1'),
    START_TIMEOUT_MS,
  );
}

/** The PodMonitor sets the interval. */
export async function startPrometheus(plane: ControlPlane, prometheus: string, port: number, target: string) {
  const file = path.join(plane.directory, 'prometheus.yaml');
  const job = { job_name: 'pods', honor_labels: true, static_configs: [{ targets: [target] }] };
  await writeFile(
    file,
    JSON.stringify({ global: { scrape_interval: '15s', scrape_timeout: '5s' }, scrape_configs: [job] }),
  );
  const server = await plane.run('prometheus', prometheus, [
    ...[`--config.file=${file}`, `--storage.tsdb.path=${path.join(plane.directory, 'prometheus')}`],
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await until('Prometheus', async () => (await fetch(`http://127.0.0.1:${port}/-/ready`)).ok, START_TIMEOUT_MS);
  return server;
}

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { findProgram } from './k8s/find-program.js';
import { K8S, type Manifest, parseManifests, readManifests, renderWith, workloadsOf } from './k8s/manifests.js';
import { mistakesIn } from './k8s/validate-manifest.js';

const run = promisify(execFile);
const timeoutMs = 180_000;
const CHART = path.join(K8S, 'chart');
const helm = findProgram('helm');

async function render(values: object = {}, namespace = 'artist-watch'): Promise<Manifest[]> {
  const set = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
  const args = ['template', 'it', CHART, '--namespace', namespace, ...set];
  const { stdout } = await run(helm ?? '', args, { maxBuffer: 16 * 1024 * 1024 });
  return parseManifests(stdout).filter((manifest) => manifest !== null);
}

function named(all: readonly Manifest[], kind: string, name: string): Manifest {
  const found = all.find((each) => each.kind === kind && each.metadata.name.startsWith(name));
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** Removes what only Helm or Argo CD read, and gives the ConfigMap of settings the same name everywhere. */
function comparable(all: readonly Manifest[]): Map<string, unknown> {
  const plain: Manifest[] = JSON.parse(JSON.stringify(all).replaceAll(/settings-[a-z0-9]{10}/g, 'settings'));
  return new Map(
    plain.map(({ metadata: { annotations: _, ...metadata }, ...rest }) => [
      `${rest.kind}/${metadata.name}`,
      { ...rest, metadata },
    ]),
  );
}

(helm ? describe : describe.skip)('the Helm chart', () => {
  test(
    'the Helm chart renders the same objects as the production overlay, with the migration first',
    async () => {
      const made = await render();
      const production = ['production-migration', 'production'].flatMap((file) =>
        readManifests(`rendered/${file}.yaml`),
      );
      expect(comparable(made)).toEqual(comparable(production));
      expect(named(made, 'Job', 'migrate').metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      });
    },
    timeoutMs,
  );

  test(
    'the Helm chart renders valid objects in the right namespace with different values too',
    async () => {
      const digest = `sha256:${'0'.repeat(64)}`;
      const made = await render(
        {
          'image.registry': 'ghcr.io/label',
          'image.tag': '0.2.0',
          'image.digests': { api: digest },
          'image.pullSecrets': ['registry'],
          'hosts.api': 'api.label.example',
          'hosts.dashboard': 'watch.label.example',
          settings: { LOG_LEVEL: 'debug', WEBHOOK_CONCURRENCY: 64 },
          secrets: { database: 'label-db' },
          'stores.redis': { cidrs: ['10.1.0.0/28', '10.1.1.0/28'], port: 6380 },
          'ingress.className': 'traefik',
          'ingress.cidrs': ['10.2.0.0/16'],
          dnsCidrs: ['169.254.20.10/32'],
          'replicas.webhook-worker': { min: 3, max: 8 },
          'keda.enabled': false,
          'toolbox.enabled': false,
          'monitoring.enabled': true,
          'monitoring.docs': 'docs.label.example',
          'monitoring.labels': { release: 'kube-prometheus-stack' },
          overrides: { 'Deployment/api': { spec: { template: { spec: { priorityClassName: 'important' } } } } },
        },
        'label',
      );
      for (const manifest of made) {
        expect([manifest.metadata.name, await mistakesIn(manifest)]).toEqual([manifest.metadata.name, []]);
        expect([undefined, 'label']).toContain(manifest.metadata.namespace);
      }
      const api = named(made, 'Deployment', 'api').spec.template.spec;
      expect(api).toMatchObject({ priorityClassName: 'important', imagePullSecrets: [{ name: 'registry' }] });
      expect(api.containers[0].image).toBe(`ghcr.io/label/api:0.2.0@${digest}`);
      for (const { spec } of workloadsOf(made)) {
        for (const { image, env = [] } of spec.template.spec.containers) {
          expect(image).toMatch(/^ghcr\.io\/label\/[a-z-]+:0\.2\.0/);
          expect(env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name)).not.toContain('database');
        }
      }
      const settings = named(made, 'ConfigMap', 'settings');
      expect(settings.data).toMatchObject({ LOG_LEVEL: 'debug', WEBHOOK_CONCURRENCY: '64', PLATFORM: 'deezer' });
      expect(settings.data).toMatchObject({
        API_PUBLIC_URL: 'https://api.label.example/v1',
        DASHBOARD_URL: 'https://watch.label.example',
      });
      expect(api.containers[0].envFrom).toEqual([{ configMapRef: { name: settings.metadata.name } }]);
      expect(named(made, 'Ingress', 'api').spec).toMatchObject({
        ingressClassName: 'traefik',
        rules: [{ host: 'api.label.example' }],
        tls: [{ hosts: ['api.label.example'] }],
      });
      expect(named(made, 'Ingress', 'dashboard').spec.rules).toMatchObject([{ host: 'watch.label.example' }]);
      expect(named(made, 'NetworkPolicy', 'api').spec.ingress[0].from).toEqual([
        { ipBlock: { cidr: '10.2.0.0/16' } },
        { podSelector: { matchLabels: { 'reaches-api': 'true' } } },
      ]);
      expect(named(made, 'NetworkPolicy', 'to-redis').spec.egress).toEqual([
        {
          to: [{ ipBlock: { cidr: '10.1.0.0/28' } }, { ipBlock: { cidr: '10.1.1.0/28' } }],
          ports: [{ protocol: 'TCP', port: 6380 }],
        },
      ]);
      expect(JSON.stringify(named(made, 'NetworkPolicy', 'everybody-to-dns'))).toContain('169.254.20.10/32');
      expect(made.filter(({ kind }) => kind === 'ScaledObject')).toEqual([]);
      expect(made.filter(({ metadata }) => /toolbox|-ops$/.test(metadata.name))).toEqual([]);
      expect(named(made, 'Deployment', 'webhook-worker').spec.replicas).toBe(3);
      const doctor = named(made, 'CronJob', 'cli').spec.jobTemplate.spec.template.spec.containers[0].args;
      expect(doctor).toEqual(['doctor', '--replicas', 'api=21,change-ingest=3,webhook-worker=4,dashboard=7']);
      const scraped = made.filter(({ apiVersion }) => apiVersion === 'monitoring.coreos.com/v1');
      expect(scraped.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['PodMonitor', 'Probe', 'PrometheusRule']),
      );
      for (const { metadata } of scraped) expect(metadata.labels).toMatchObject({ release: 'kube-prometheus-stack' });
      const texts = JSON.stringify(made.filter(({ kind }) => kind === 'PrometheusRule'));
      expect(texts).toContain('https://docs.label.example/runbooks/api-errors.md');
      expect(texts).toContain('{{ $labels.');
      expect(texts).not.toContain('artist-watch.example');
    },
    timeoutMs,
  );

  test.each([
    ['tracing', { 'tracing.enabled': true }],
    ['store-authorities', { storeAuthorities: 'store-authorities' }],
    ['network/openshift', { openshift: true }],
  ])(
    'the Helm chart renders the same objects as the overlay with the component %s',
    async (component, values) => {
      // The migration has no ConfigMap to which the component tracing could add.
      const [made, migration, production] = await Promise.all([
        render(values),
        component === 'tracing'
          ? readManifests('rendered/production-migration.yaml')
          : renderWith('production/migration', component),
        renderWith('production', component),
      ]);
      expect(comparable(made)).toEqual(comparable([...migration, ...production]));
    },
    timeoutMs,
  );

  test(
    'the Helm chart merges overrides of containers, variables and volumes by name',
    async () => {
      const container = {
        name: 'api',
        resources: { limits: { memory: '1Gi' } },
        env: [
          { name: 'REDIS_URL', value: 'redis://other' },
          { name: 'TZ', value: 'UTC' },
        ],
      };
      const spec = { containers: [container, { name: 'sidecar', image: 'sidecar:1' }] };
      const before = named(await render(), 'Deployment', 'api').spec.template.spec;
      const after = named(
        await render({ overrides: { 'Deployment/api': { spec: { template: { spec } } } } }),
        ...(['Deployment', 'api'] as const),
      ).spec.template.spec;
      const [api] = before.containers;
      const env = api.env.map((each: { name: string }) => (each.name === 'REDIS_URL' ? container.env[0] : each));
      const limits = { ...api.resources.limits, memory: '1Gi' };
      expect(after).toEqual({
        ...before,
        containers: [
          { ...api, env: [...env, container.env[1]], resources: { ...api.resources, limits } },
          { name: 'sidecar', image: 'sidecar:1' },
        ],
      });
    },
    timeoutMs,
  );

  test(
    'the Helm chart writes large numbers in settings as plain digits',
    async () => {
      const made = await render({ settings: { MAX_BYTES: 5_000_000 } });
      expect(named(made, 'ConfigMap', 'settings').data).toMatchObject({ MAX_BYTES: '5000000' });
    },
    timeoutMs,
  );

  test.each([
    ['a value', { replica: {} }, "additional properties 'replica' not allowed"],
    ['a nested value', { 'keda.enable': false }, "additional properties 'enable' not allowed"],
    ['a Secret', { secrets: { databse: 'x' } }, 'databse'],
    ['a setting in lower case', { settings: { log_level: 'debug' } }, 'log_level'],
    ['an object', { overrides: { 'Deployment/apii': { spec: {} } } }, 'no object is called Deployment/apii'],
    [
      'an object that other values omit',
      { 'toolbox.enabled': false, overrides: { 'Deployment/toolbox': { spec: {} } } },
      'no object is called Deployment/toolbox',
    ],
  ])(
    'the Helm chart rejects the unknown name of %s',
    async (_, values, message) => {
      await expect(render(values)).rejects.toThrow(message);
    },
    timeoutMs,
  );

  test(
    'the Helm chart passes helm lint',
    async () => {
      await expect(run(helm ?? '', ['lint', '--strict', CHART])).resolves.toBeDefined();
    },
    timeoutMs,
  );
});

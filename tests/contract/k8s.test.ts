import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readConfig as readApiConfig } from '@artist-watch/api/config';
import { readConfig as readIngestConfig } from '@artist-watch/change-ingest/config';
import { readConfig as readCliConfig } from '@artist-watch/cli/config';
import { DATABASE_POOL_SIZES } from '@artist-watch/runtime/settings/settings';
import { readConfig as readWorkerConfig } from '@artist-watch/webhook-worker/config';
import { describe, expect, test } from '@jest/globals';
import { findProgram } from './k8s/find-program.js';
import { K8S, type Manifest, parseManifests, programOf, readManifests, selects, workloadsOf } from './k8s/manifests.js';
import {
  environmentOf,
  isService,
  longestAttemptMs,
  readConfigOf,
  sampleSecrets,
  secretNames,
  timeToEndMs,
} from './k8s/programs.js';
import { mistakesIn } from './k8s/validate-manifest.js';

const run = promisify(execFile);
const timeoutMs = 180_000;
/**
 * DNS answers can be this old: the highest `ttl` of CoreDNS's kubernetes plugin, plus the limit of its cache plugin.
 */
const LONGEST_IN_DNS_S = 30;

/** These overlays are applied together. k8s/rendered uses the same names. */
const overlays = {
  production: ['production', 'production-migration'],
  local: ['local', 'local-data', 'local-migration'],
} as const;

describe.each(Object.entries(overlays))('the overlay %s', (overlay, files) => {
  const manifests = files.flatMap((file) => readManifests(`rendered/${file}.yaml`));
  const workloads = workloadsOf(manifests);
  // The toolbox serves no requests. Operators use it to run commands.
  const servers = workloads.filter((each) => each.kind !== 'Job' && programOf(each) !== 'toolbox');
  const containers = workloads.flatMap((workload) =>
    workload.spec.template.spec.containers.map((container) => ({ workload, container })),
  );
  const named = (kind: string, name: string) =>
    manifests.find((each) => each.kind === kind && each.metadata.name === name);

  test('every object is valid under its schema, without unknown fields', async () => {
    const mistakes: string[] = [];
    for (const manifest of manifests) {
      for (const mistake of await mistakesIn(withoutLineBreaks(manifest))) {
        mistakes.push(`${manifest.kind} ${manifest.metadata.name}: ${mistake}`);
      }
    }
    expect(mistakes).toEqual([]);
  });

  test('every object is in the namespace, which enforces the restricted Pod Security Standard', () => {
    const elsewhere = manifests.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'artist-watch',
    );
    expect(elsewhere.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    const [namespace] = readManifests('namespace/namespace.yaml');
    expect(namespace?.metadata).toMatchObject({
      name: 'artist-watch',
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
      annotations: { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' },
    });
  });

  test('deleting an overlay keeps the namespace and the Secrets', () => {
    const kept = readManifests(`rendered/${overlay}.yaml`).filter(({ kind }) => /^(Namespace|Secret)$/.test(kind));
    expect(kept.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
  });

  test.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    'the pods of %s have no more permissions than they need',
    (_name, workload) => {
      const pod = workload.spec.template.spec;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.enableServiceLinks).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      const account = named('ServiceAccount', pod.serviceAccountName ?? '');
      expect(account).toMatchObject({ automountServiceAccountToken: false });
      const sharing = workloads.filter(({ spec }) => spec.template.spec.serviceAccountName === pod.serviceAccountName);
      expect(sharing).toHaveLength(1);
      for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    },
  );

  test.each(containers.map(({ workload, container }) => [workload.metadata.name, container] as const))(
    'the container of %s has requests, limits, a heap that fits, and an image with a version',
    (_name, container) => {
      const { requests, limits } = container.resources ?? {};
      expect(requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
      expect(limits).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
      expect(container.image).toMatch(/:[\w.-]+$/);
      expect(container.image).not.toMatch(/:latest$/);
      const heap = /--max-old-space-size=(\d+)/.exec(
        container.env?.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '',
      );
      // The remaining quarter is for buffers, code and stacks.
      if (heap) expect(Number(heap[1])).toBeLessThanOrEqual(mebibytes(limits?.memory) * 0.75);
    },
  );

  test.each(servers.map((workload) => [workload.metadata.name, workload] as const))(
    '%s has startup, liveness and readiness probes',
    (_name, workload) => {
      for (const { startupProbe, livenessProbe, readinessProbe, ports = [] } of workload.spec.template.spec
        .containers) {
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          expect(probe).toBeDefined();
          const port = probe?.httpGet?.port;
          if (port !== undefined) expect(ports.map(({ name }) => name)).toContain(port);
        }
        // A failed dependency must not restart the services that need it.
        expect(livenessProbe?.httpGet?.path ?? '').not.toBe('/readyz');
        if (programOf(workload) && isService(workload)) expect(readinessProbe?.httpGet?.path).toBe('/readyz');
      }
    },
  );

  test.each(servers.filter(isService).map((workload) => [workload.metadata.name, workload] as const))(
    '%s is spread over zones and machines, and loses at most a quarter of its pods in a drain',
    (name, workload) => {
      const { labels } = workload.spec.template.metadata;
      const { topologySpreadConstraints = [] } = workload.spec.template.spec;
      expect(topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
        'topology.kubernetes.io/zone',
        'kubernetes.io/hostname',
      ]);
      for (const { labelSelector, matchLabelKeys } of topologySpreadConstraints) {
        expect(labelSelector).toBeDefined();
        expect(selects(labelSelector?.matchLabels, labels)).toBe(true);
        expect(matchLabelKeys).toEqual(['pod-template-hash']);
      }
      const budgets = manifests.filter(
        ({ kind, spec }) => kind === 'PodDisruptionBudget' && selects(spec.selector.matchLabels, labels),
      );
      // Kubernetes rounds up, so 25% of two pods is one pod.
      expect(budgets.map(({ spec }) => spec.maxUnavailable)).toEqual(['25%']);
      const scaled = manifests.find(({ spec }) => spec?.scaleTargetRef?.name === name)?.spec;
      expect(scaled ? (scaled.minReplicas ?? scaled.minReplicaCount) : workload.spec.replicas).toBeGreaterThanOrEqual(
        2,
      );
      // A fixed number would undo the autoscaler's decision with each rollout.
      if (scaled) expect(workload.spec.replicas).toBeUndefined();
    },
  );

  test.each(servers.filter(isService).map((workload) => [workload.metadata.name, workload] as const))(
    "%s starts with the overlay's settings and has time to stop",
    (_name, workload) => {
      const pod = workload.spec.template.spec;
      const [container] = pod.containers;
      if (!container) throw new Error('no container');
      // Operators replace the example addresses, which the services reject.
      const environment = Object.fromEntries(
        Object.entries(environmentOf(container, manifests)).map(([setting, text]) => [
          setting,
          text.replace('artist-watch.example', 'label.test'),
        ]),
      );
      const config = readConfigOf(workload, environment);
      const ports = Object.fromEntries(
        container.ports?.map(({ name, containerPort }) => [name ?? '', containerPort]) ?? [],
      );
      expect(ports).toEqual(config.ports);

      const attemptMs = longestAttemptMs(readWorkerConfig({ ...sampleSecrets, EGRESS_PROXY_URLS: 'http://p:1' }));
      const graceMs = (pod.terminationGracePeriodSeconds ?? 30) * 1_000;
      expect(timeToEndMs(config)).toBeGreaterThan(attemptMs);
      expect(graceMs).toBeGreaterThanOrEqual(config.shutdownDeadlineMs + 10_000);
      // The service keeps serving after SIGTERM while it is removed from the endpoints. A hook would only delay
      // SIGTERM.
      expect(container.lifecycle).toBeUndefined();
      const { periodSeconds = 10, failureThreshold = 3 } = container.readinessProbe ?? {};
      if (config.shutdownDelayMs > 0) {
        expect(config.shutdownDelayMs).toBeGreaterThanOrEqual(periodSeconds * failureThreshold * 1_000);
      }
    },
  );

  test('no setting contains a secret, and each pod gets only the Secrets that it needs', () => {
    const secretsOf = Object.fromEntries(
      workloads.map((workload) => [
        programOf(workload) ?? workload.metadata.name,
        [...new Set(workload.spec.template.spec.containers.flatMap(secretNames))].sort(),
      ]),
    );
    expect(secretsOf).toMatchObject({
      api: ['database', 'encryption', 'redis', 'spotify'],
      'change-ingest': ['database', 'ingest', 'redis', 'spotify'],
      'webhook-worker': ['database', 'encryption', 'redis'],
      dashboard: ['database', 'encryption', 'mail', 'redis', 'spotify'],
      'egress-proxy': [],
      migrate: ['database-owner'],
      cli: ['database', 'encryption', 'ingest', 'redis', 'spotify'],
      ...(overlay === 'production' && { toolbox: ['database', 'encryption', 'ingest', 'redis', 'spotify'] }),
    });
    const readme = readFileSync(path.join(K8S, 'README.md'), 'utf8');
    const references = containers
      .flatMap(({ container }) => container.env ?? [])
      .map(({ valueFrom }) => valueFrom?.secretKeyRef);
    for (const reference of references.filter((each) => each !== undefined)) {
      const line = readme.split('\n').find((each) => each.startsWith(`| \`${reference.name}\` |`));
      expect([reference.name, line]).toEqual([reference.name, expect.stringContaining(`\`${reference.key}\``)]);
    }
    const values = [
      ...containers.flatMap(
        ({ container }) => container.env?.map(({ name, value }) => [name, value ?? ''] as const) ?? [],
      ),
      ...manifests.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.entries(data ?? {})),
    ];
    for (const [name, value] of values) {
      if (value !== '') expect(name).not.toMatch(/KEY|TOKEN|SECRET|PASSWORD|DATABASE_URL|REDIS_URL|SMTP_URL/);
      expect(value).not.toMatch(/:\/\/[^/]*@/);
    }
  });

  test('the CLI has the same confirmation settings as change-ingest and runs only as a manually created Job', () => {
    const environment = (program: string) => {
      const container = containers.find(({ workload }) => programOf(workload) === program)?.container;
      if (!container) throw new Error(`no ${program}`);
      return environmentOf(container, manifests);
    };
    const ingest = readIngestConfig(environment('change-ingest'));
    expect(readCliConfig(environment('cli')).confirmation()).toEqual({
      observations: ingest.CONFIRM_OBSERVATIONS,
      spanMs: ingest.CONFIRM_SPAN,
      intervalMs: ingest.CONFIRM_INTERVAL,
    });
    expect(readCliConfig(environment('cli')).queue()).toEqual({
      redisUrl: ingest.REDIS_URL,
      prefix: ingest.REDIS_KEY_PREFIX,
    });
    expect(named('CronJob', 'cli')?.spec.suspend).toBe(true);
  });

  test('the doctor checks the number of connections for the maximum number of replicas during a rollout', () => {
    const atMost = (name: string) => {
      const { spec } = workloads.find(({ metadata }) => metadata.name === name) as Manifest;
      const maximum =
        named('HorizontalPodAutoscaler', name)?.spec.maxReplicas ?? (name === 'webhook-worker' ? 50 : spec.replicas);
      const { maxSurge } = spec.strategy.rollingUpdate;
      return (
        maximum + (typeof maxSurge === 'number' ? maxSurge : Math.ceil((maximum * Number.parseInt(maxSurge, 10)) / 100))
      );
    };
    const replicas = Object.keys(DATABASE_POOL_SIZES).map((name) => `${name}=${atMost(name)}`);
    const [cli] = containers.filter(({ workload }) => programOf(workload) === 'cli');
    expect(cli?.container.args).toEqual(['doctor', '--replicas', replicas.join(',')]);
    expect(named('ScaledObject', 'webhook-worker')?.spec.maxReplicaCount ?? 50).toBe(50);
  });

  test('Argo CD runs the migration before everything else, after its ServiceAccount', () => {
    const annotations = (kind: string) => named(kind, 'migrate')?.metadata.annotations ?? {};
    const wave = (kind: string) => Number(annotations(kind)['argocd.argoproj.io/sync-wave'] ?? '0');
    for (const kind of ['Job', 'ServiceAccount']) {
      expect([kind, annotations(kind)]).toEqual([
        kind,
        expect.objectContaining({
          'argocd.argoproj.io/hook': 'PreSync',
          'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
        }),
      ]);
    }
    expect(wave('ServiceAccount')).toBeLessThan(wave('Job'));
    // The Job of the last release must not block the next one.
    expect(named('Job', 'migrate')?.spec.ttlSecondsAfterFinished).toBeLessThanOrEqual(86_400);
    for (const page of ['k8s/README.md', 'docs/runbooks/upgrading.md']) {
      const text = readFileSync(path.join(K8S, '..', page), 'utf8');
      expect(text.indexOf('delete job migrate --ignore-not-found')).toBeGreaterThan(0);
      expect(text.indexOf('delete job migrate')).toBeLessThan(
        text.indexOf('kubectl apply -k k8s/overlays/production/migration'),
      );
    }
  });

  test('each Service selects pods and targets a port that they open', () => {
    for (const service of manifests.filter(({ kind }) => kind === 'Service')) {
      const behind = workloads.filter((workload) =>
        selects(service.spec.selector, workload.spec.template.metadata.labels),
      );
      expect([service.metadata.name, behind.length]).toEqual([service.metadata.name, 1]);
      const ports = behind.flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ ports: each = [] }) => each));
      for (const { targetPort } of service.spec.ports) expect(ports.map(({ name }) => name)).toContain(targetPort);
    }
  });

  test("each egress pool's name resolves to the addresses of its pods, for as long as they accept tunnels", () => {
    const names = ['EGRESS_PROXY_URLS', 'PLATFORM_PROXY_URL'].flatMap((setting) =>
      manifests.flatMap(({ kind, data }) => (kind === 'ConfigMap' ? (data?.[setting]?.split(',') ?? []) : [])),
    );
    expect(names).toHaveLength(3);
    for (const { hostname, port } of names.map((url) => new URL(url))) {
      const service = named('Service', hostname);
      const behind = servers.filter(({ spec }) => selects(service?.spec.selector, spec.template.metadata.labels));
      const [container] = behind.flatMap(({ spec }) => spec.template.spec.containers);
      const opened = container?.ports?.find(({ name }) => name === 'proxy')?.containerPort;
      // A headless Service does not translate ports and has no IP address.
      expect([hostname, service?.spec.clusterIP, Number(port)]).toEqual([hostname, 'None', opened]);
      expect(service?.spec.publishNotReadyAddresses).toBeUndefined();
      const { SHUTDOWN_DELAY } = container ? environmentOf(container, manifests) : {};
      expect(Number.parseInt(SHUTDOWN_DELAY ?? '', 10)).toBeGreaterThanOrEqual(LONGEST_IN_DNS_S + 10);
    }
  });

  test('each image is a target of the Dockerfile', () => {
    const targets = [
      ...readFileSync(path.join(K8S, '..', 'Dockerfile'), 'utf8').matchAll(/^FROM (?:runtime|cli) AS ([\w-]+)/gm),
    ];
    const programs = workloads.map(programOf).filter((program) => program !== undefined);
    expect(targets.map(([, name]) => name)).toEqual(expect.arrayContaining(programs));
    expect(new Set(programs).size).toBeGreaterThanOrEqual(5);
  });

  // k8s/rendered replaces the overlays on machines without kubectl, so it must equal kubectl's output.
  (findProgram('kubectl') ? test : test.skip)(
    'k8s/rendered equals the output of k8s/render.sh',
    async () => {
      for (const file of files) {
        const directory = path.join(K8S, 'overlays', file.replace('-', '/'));
        const { stdout } = await run('kubectl', ['kustomize', directory], { maxBuffer: 16 * 1024 * 1024 });
        expect(parseManifests(stdout)).toEqual(readManifests(`rendered/${file}.yaml`));
      }
    },
    timeoutMs,
  );

  test(`${overlay} contains only its own workloads besides the services`, () => {
    const extra = workloads
      .map(({ metadata }) => metadata.name)
      .filter((name) => !/^(api|change|webhook|dashboard|egress|migrate|cli|toolbox)/.test(name));
    expect(extra).toEqual(overlay === 'local' ? ['demo', 'mailbox', 'platform-simulator', 'postgres', 'redis'] : []);
  });
});

test('the ingress names its class, because a cluster without a default class would ignore it', () => {
  const [ingress] = readManifests('rendered/production.yaml').filter(({ kind }) => kind === 'Ingress');
  expect(ingress?.spec.ingressClassName).toMatch(/^[a-z-]+$/);
});

test("a response of the API ends before the ingress controller's timeout", () => {
  const nginxProxyReadTimeoutMs = 60_000;
  expect(readApiConfig(sampleSecrets).API_ANSWER_TIMEOUT).toBeLessThan(nginxProxyReadTimeoutMs);
});

test('docs/capacity.md has the memory limits and the replicas of k8s/base', () => {
  const page = readFileSync(path.join(K8S, '../docs/capacity.md'), 'utf8');
  const manifests = readManifests('rendered/production.yaml');
  for (const name of ['api', 'webhook-worker', 'change-ingest', 'dashboard']) {
    const [, row = ''] = new RegExp(`^(\\| ${name} \\|.*)$`, 'm').exec(page) ?? [];
    const workload = workloadsOf(manifests).find(({ metadata }) => metadata.name === name);
    const limit = mebibytes(workload?.spec.template.spec.containers[0]?.resources?.limits?.memory);
    expect(row).toContain(`| ${limit} MiB`);
    const autoscaler = manifests.find(
      ({ kind, spec }) => kind === 'HorizontalPodAutoscaler' && spec.scaleTargetRef.name === name,
    );
    if (autoscaler) expect(row).toContain(`${autoscaler.spec.minReplicas} to ${autoscaler.spec.maxReplicas} replicas`);
  }
});

test('the secret manager example creates every required Secret, and deleting the example keeps them', () => {
  const made = new Map(
    readManifests('secrets/external-secrets/secrets.yaml').map(({ metadata, spec }) => {
      expect(spec.target).toEqual({ name: metadata.name, creationPolicy: 'Orphan', deletionPolicy: 'Retain' });
      return [metadata.name, (spec.data as { secretKey: string }[]).map(({ secretKey }) => secretKey)] as const;
    }),
  );
  const needed = overlays.production
    .flatMap((file) => workloadsOf(readManifests(`rendered/${file}.yaml`)))
    .flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ env = [] }) => env))
    .map(({ valueFrom }) => valueFrom?.secretKeyRef)
    .filter((reference) => reference !== undefined && !reference.optional);
  expect(needed.length).toBeGreaterThan(0);
  for (const reference of needed) expect(made.get(reference?.name ?? '')).toContain(reference?.key);
});

function mebibytes(quantity: string | number | undefined): number {
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(String(quantity)) ?? [];
  return Number(count) * (unit === 'Gi' ? 1024 : 1);
}

/** Kustomize breaks long values of Secrets into lines, which Kubernetes allows but the schema of `byte` does not. */
function withoutLineBreaks(manifest: Manifest): Manifest {
  if (manifest.kind !== 'Secret') return manifest;
  const data = Object.entries(manifest.data ?? {}).map(([name, value]) => [name, value.replace(/\s/g, '')]);
  return { ...manifest, data: Object.fromEntries(data) };
}

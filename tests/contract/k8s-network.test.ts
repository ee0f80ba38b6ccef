import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SPECIAL_RANGES } from '@artist-watch/address-policy/check-address';
import { cidrContains, parseCidr } from '@artist-watch/address-policy/ip-address';
import { describe, expect, test } from '@jest/globals';
import { findProgram } from './k8s/find-program.js';
import { type Labels, type Manifest, readManifests, renderWith, selects, workloadsOf } from './k8s/manifests.js';
import { mistakesIn } from './k8s/validate-manifest.js';

interface Peer {
  readonly podSelector?: { readonly matchLabels?: Labels };
  readonly namespaceSelector?: { readonly matchLabels?: Labels };
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface PolicyRule {
  readonly to?: readonly Peer[];
  readonly from?: readonly Peer[];
  readonly ports?: readonly { readonly port: number | string; readonly endPort?: number }[];
}

const SERVICES = fileURLToPath(new URL('../../services/', import.meta.url));
const manifests = {
  production: ['production', 'production-migration'].flatMap((file) => readManifests(`rendered/${file}.yaml`)),
  local: ['local', 'local-data', 'local-migration'].flatMap((file) => readManifests(`rendered/${file}.yaml`)),
};

function policiesFor(all: readonly Manifest[], labels: Labels, type: 'Ingress' | 'Egress'): Manifest[] {
  return all.filter(
    ({ kind, spec }) =>
      kind === 'NetworkPolicy' && spec.policyTypes.includes(type) && selects(spec.podSelector.matchLabels, labels),
  );
}

function reachable(all: readonly Manifest[], labels: Labels): string[] {
  const rules = policiesFor(all, labels, 'Egress').flatMap(({ spec }) => (spec.egress ?? []) as PolicyRule[]);
  const places = rules.flatMap(({ to = [], ports = [] }) => to.flatMap((peer) => placesOf(all, peer, ports)));
  return [...new Set(places)].sort();
}

function placesOf(all: readonly Manifest[], peer: Peer, ports: NonNullable<PolicyRule['ports']>): string[] {
  const where = ports.map(({ port, endPort }) => (endPort ? `${port}-${endPort}` : String(port))).join(',');
  if (peer.ipBlock) return [`${peer.ipBlock.cidr}:${where}`];
  if (peer.namespaceSelector) return [`${Object.values(peer.podSelector?.matchLabels ?? {}).join()}:${where}`];
  return workloadsOf(all)
    .filter(({ spec }) => selects(peer.podSelector?.matchLabels, spec.template.metadata.labels))
    .map(({ metadata }) => `${metadata.name}:${where}`);
}

function reachableBy(overlay: keyof typeof manifests, name: string): string[] {
  const workload = workloadsOf(manifests[overlay]).find(({ metadata }) => metadata.name === name);
  return reachable(manifests[overlay], workload?.spec.template.metadata.labels ?? {});
}

const DNS = 'kube-dns:53,53';
const POSTGRES = '10.20.0.0/28:5432';
const REDIS = '10.20.0.16/28:6379';
const SMTP = '10.20.0.32/28:587';
const WORLD = ['0.0.0.0/0:80,443,1024-65535', '2000::/3:80,443,1024-65535'];

test.each(Object.entries(manifests))('in %s, connections are denied unless a policy allows them', (_overlay, all) => {
  const denying = all.filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'deny-by-default');
  expect(denying.map(({ spec }) => spec)).toEqual([{ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }]);
});

describe('in production', () => {
  test.each([
    ['webhook-worker', [POSTGRES, REDIS, DNS, 'egress-webhooks-1:3128', 'egress-webhooks-2:3128']],
    ['change-ingest', [POSTGRES, REDIS, DNS, 'egress-polling:3128']],
    ['api', [POSTGRES, REDIS, DNS, 'egress-polling:3128']],
    ['dashboard', [POSTGRES, REDIS, DNS, SMTP, 'egress-polling:3128']],
    ['migrate', [POSTGRES, DNS]],
    ['cli', [POSTGRES, REDIS, DNS, 'egress-polling:3128', 'egress-webhooks-1:3128', 'egress-webhooks-2:3128']],
    [
      'toolbox',
      [
        ...[POSTGRES, REDIS, DNS, 'egress-polling:3128', 'egress-webhooks-1:3128', 'egress-webhooks-2:3128'],
        ...workloadsOf(manifests.production).map(({ metadata }) => `${metadata.name}:ops`),
      ],
    ],
    ['egress-webhooks-1', [...WORLD, DNS]],
    ['egress-webhooks-2', [...WORLD, DNS]],
    ['egress-polling', [...WORLD, DNS]],
  ])('%s can reach exactly the listed targets', (name, expected) => {
    expect(reachableBy('production', name)).toEqual([...expected].sort());
  });

  test('only the egress proxies reach the Internet', () => {
    const outside = workloadsOf(manifests.production)
      .filter(({ spec }) =>
        reachable(manifests.production, spec.template.metadata.labels).some((place) => WORLD.includes(place)),
      )
      .map(({ metadata }) => metadata.name);
    expect(outside).toEqual(['egress-polling', 'egress-webhooks-1', 'egress-webhooks-2']);
  });

  test('the network blocks every address range that the address policy rejects', () => {
    const policy = manifests.production.find(({ metadata }) => metadata.name === 'egress-to-the-world');
    const rules: readonly PolicyRule[] = policy?.spec.egress ?? [];
    const blocks = rules.flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock));
    expect(blocks).toHaveLength(2);
    const range = (text: string) => {
      const cidr = parseCidr(text);
      if (!cidr) throw new Error(`${text} is not a range`);
      return cidr;
    };
    const open = SPECIAL_RANGES.filter(([special]) =>
      blocks.some(
        (block) =>
          block &&
          cidrContains(range(block.cidr), special.network) &&
          !block.except?.some((text) => {
            const except = range(text);
            return except.prefixBits <= special.prefixBits && cidrContains(except, special.network);
          }),
      ),
    );
    expect(open.map(([special, reason]) => [reason, special.network])).toEqual([]);
  });

  test('an egress pool accepts connections only from its own clients', () => {
    const from = (name: string) => {
      const workload = workloadsOf(manifests.production).find(({ metadata }) => metadata.name === name);
      const policies = policiesFor(manifests.production, workload?.spec.template.metadata.labels ?? {}, 'Ingress');
      const rules = policies.flatMap(({ spec }) => (spec.ingress ?? []) as PolicyRule[]);
      return rules
        .filter(({ ports }) => ports?.some(({ port }) => port === 3128))
        .flatMap(({ from: peers = [], ports = [] }) =>
          peers.flatMap((peer) => placesOf(manifests.production, peer, ports)),
        );
    };
    expect(from('egress-webhooks-1')).toEqual(['webhook-worker:3128', 'toolbox:3128', 'cli:3128']);
    const readers = ['api:3128', 'change-ingest:3128', 'dashboard:3128', 'toolbox:3128', 'cli:3128'];
    expect(from('egress-polling')).toEqual(readers);
  });
});

describe('with the tracing component', () => {
  const services = readdirSync(SERVICES).filter((service) =>
    readFileSync(path.join(SERVICES, service, 'src/compose.ts'), 'utf8').includes('createTelemetry('),
  );
  /** Each egress pool runs egress-proxy. */
  const traced = services.flatMap((service) =>
    service === 'egress-proxy' ? ['egress-webhooks-1', 'egress-webhooks-2', 'egress-polling'] : [service],
  );
  const COLLECTOR = 'opentelemetry-collector:4318';

  // Without kubectl, only k8s/rendered is available, and none of its overlays has the component.
  (findProgram('kubectl') ? test : test.skip)(
    'every service that enables tracing can reach the collector, and no other workload can',
    async () => {
      const all = await renderWith('production', 'tracing');
      const reaching = workloadsOf(all)
        .filter(({ spec }) => reachable(all, spec.template.metadata.labels).includes(COLLECTOR))
        .map(({ metadata }) => metadata.name);
      expect(reaching.sort()).toEqual([...traced].sort());
      const settings = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('settings'));
      expect(new URL(settings?.data?.OTEL_EXPORTER_OTLP_ENDPOINT ?? '')).toMatchObject({
        hostname: 'opentelemetry-collector.monitoring.svc',
        port: '4318',
      });
      for (const manifest of all) expect(await mistakesIn(manifest)).toEqual([]);
    },
  );

  test('without the tracing component, no pod can reach a collector', () => {
    for (const overlay of ['production', 'local'] as const) {
      for (const name of traced) expect(reachableBy(overlay, name)).not.toContain(COLLECTOR);
    }
  });
});

describe('with a component for another network', () => {
  const policyOf = (all: readonly Manifest[], name: string) =>
    all.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name)?.spec;
  const where = findProgram('kubectl') ? test : test.skip;

  where('with node-local-dns, every pod can also reach the DNS cache on its node', async () => {
    const all = await renderWith('production', 'network/node-local-dns');
    for (const { spec } of workloadsOf(all)) {
      const places = reachable(all, spec.template.metadata.labels);
      expect(places).toEqual(expect.arrayContaining([DNS, '169.254.20.10/32:53,53']));
    }
    expect(await mistakesIn(all.find(({ metadata }) => metadata.name === 'everybody-to-dns') as Manifest)).toEqual([]);
  });

  where(
    "with openshift, every pod can reach OpenShift's DNS, and OpenShift's router and Prometheus can reach our pods",
    async () => {
      const all = await renderWith('production', 'network/openshift');
      for (const { spec } of workloadsOf(all)) {
        const places = reachable(all, spec.template.metadata.labels);
        expect(places).toContain('default:5353,5353');
        expect(places).not.toContain(DNS);
        expect(spec.template.spec.securityContext).toEqual({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
      }
      const router = { namespaceSelector: { matchLabels: { 'policy-group.network.openshift.io/ingress': '' } } };
      expect(policyOf(all, 'api').ingress[0].from[0]).toEqual(router);
      const prometheus = { namespaceSelector: { matchLabels: { 'network.openshift.io/policy-group': 'monitoring' } } };
      expect(policyOf(all, 'metrics').ingress[0].from).toEqual([prometheus]);
      for (const manifest of all) expect(await mistakesIn(manifest)).toEqual([]);
      const [migrate] = workloadsOf(await renderWith('production/migration', 'network/openshift'));
      expect(migrate?.spec.template.spec.securityContext).not.toHaveProperty('runAsUser');
    },
  );

  where(
    'with ingress-by-address, the API accepts connections from an IP range, and no longer from a namespace',
    async () => {
      const all = await renderWith('production', 'network/ingress-by-address');
      for (const { spec } of all.filter(({ metadata }) => metadata.labels?.['from-ingress'] === 'true')) {
        expect(spec.ingress[0].from[0]).toEqual({ ipBlock: { cidr: '10.0.0.0/16' } });
        expect(JSON.stringify(spec)).not.toContain('namespaceSelector');
      }
      expect(policyOf(all, 'api').ingress[0].ports).toEqual([{ protocol: 'TCP', port: 'http' }]);
    },
  );
});

describe('on one machine', () => {
  test.each([
    ['webhook-worker', ['postgres:5432', 'redis:6379', DNS, 'egress-webhooks-1:3128', 'egress-webhooks-2:3128']],
    ['demo', ['postgres:5432', DNS, 'api:8080', 'platform-simulator:8091']],
    ['dashboard', ['postgres:5432', 'redis:6379', 'mailbox:2525', DNS, 'egress-polling:3128']],
    ['mailbox', [DNS]],
    ['platform-simulator', [DNS]],
    ['egress-polling', [...WORLD, DNS, 'platform-simulator:8090']],
    ['egress-webhooks-2', [...WORLD, DNS, 'demo:9000']],
  ])('%s can reach exactly the listed targets', (name, expected) => {
    expect(reachableBy('local', name)).toEqual([...expected].sort());
  });
});

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../contract/k8s/find-program.js';
import { blocksOf, type Cluster, report, startCluster, timeoutMs } from './cluster.js';
import { findControlPlane } from './control-plane.js';

const programs = findControlPlane();
const page = 'k8s/README.md';
const SECRETS = ['database', 'database-owner', 'encryption', 'ingest', 'mail', 'redis'];

let cluster: Cluster;
const bash = (script: string) => cluster.bash(script);

/** Leaves out commands that need a container engine. */
async function block(words: string): Promise<string> {
  const blocks = [...(await blocksOf(page, 'sh')), ...(await blocksOf(page))].filter((each) => each.includes(words));
  if (blocks.length !== 1) throw new Error(`${blocks.length} blocks of ${page} have "${words}".`);
  return (blocks[0] ?? '').replaceAll(/^for target in .*?^done$/gms, '');
}

async function names(kind: string): Promise<string[]> {
  const output = await bash(`kubectl -n artist-watch get ${kind} --output=jsonpath='{.items[*].metadata.name}'`);
  return output.split(' ').filter(Boolean);
}

async function expectNothingButNamespaceAndSecrets(): Promise<void> {
  await bash(
    'kubectl -n artist-watch wait --for=delete --timeout=2m pod --selector=app.kubernetes.io/part-of=artist-watch',
  );
  expect(await names('deployments,services,networkpolicies,cronjobs,scaledobjects')).toEqual([]);
  expect((await names('secrets')).filter((name) => !name.startsWith('sh.helm.'))).toEqual(SECRETS);
}

(programs ? describe : describe.skip)('installing on a real control plane', () => {
  beforeAll(async () => {
    if (programs) cluster = await startCluster(programs);
  }, timeoutMs);

  afterAll(() => cluster?.stop(), timeoutMs);

  test(
    'the commands of k8s/README.md work in the documented order',
    async () => {
      await writeFile(path.join(cluster.checkout, 'ca.pem'), 'a certificate');
      expect(await bash(await block('get secrets'))).toContain('database-owner');
      await bash(await block('create configmap store-authorities'));
      await bash(await block('overlays/production/monitoring'));
      await bash(await block('deployment/toolbox -- bash'));
      await bash(await block('cli account create'));
      await bash(await block('job doctor'));
      expect(await names('jobs')).toEqual(['doctor', 'held', 'migrate']);
      const args = await bash(`kubectl -n artist-watch get job held --output=jsonpath='{..args}'`);
      expect(JSON.parse(args)).toEqual(['brake', 'list']);
      await bash('kubectl -n artist-watch rollout restart deployment/api');
    },
    timeoutMs,
  );

  test(
    'a deleted installation leaves the namespace and its Secrets',
    async () => {
      await bash(`kubectl -n artist-watch delete job doctor held
        kubectl -n artist-watch delete configmap store-authorities
        for overlay in production/monitoring production production/migration; do
          kubectl delete -k k8s/overlays/$overlay
        done`);
      await expectNothingButNamespaceAndSecrets();
    },
    timeoutMs,
  );

  (findProgram('helm') ? test : test.skip)(
    'Helm installs, upgrades, rolls back with the previous settings, and uninstalls, with the migration first',
    async () => {
      const upgrade = await block('helm upgrade');
      const image = () => bash(`kubectl -n artist-watch get deployment api --output=jsonpath='{..image}'`);
      const levels: Record<string, string> = { '0.2.0': 'info', '0.3.0': 'debug' };
      const level = async () => {
        const name = await bash(`kubectl -n artist-watch get deployment api --output=jsonpath='{..configMapRef.name}'`);
        return await bash(`kubectl -n artist-watch get configmap ${name} --output=jsonpath='{.data.LOG_LEVEL}'`);
      };
      for (const tag of ['0.2.0', '0.3.0']) {
        await writeFile(
          path.join(cluster.checkout, 'values.yaml'),
          `{ image: { tag: "${tag}" }, settings: { LOG_LEVEL: "${levels[tag]}" }, monitoring: { enabled: true } }`,
        );
        report((await bash(upgrade)).split('\n').find((line) => line.startsWith('STATUS')) ?? '');
        expect(await image()).toMatch(new RegExp(`:${tag}$`));
        const migration = `kubectl -n artist-watch get job migrate --output=jsonpath='{..image} {.status.succeeded}'`;
        expect(await bash(migration)).toMatch(new RegExp(`:${tag} 1$`));
        await bash('kubectl -n artist-watch rollout status --timeout=5m deployment/api');
      }
      expect(await level()).toBe('debug');
      await bash('kubectl -n artist-watch rollout undo deployment/api');
      expect(await level()).toBe('info');
      await bash('helm --namespace artist-watch rollback artist-watch');
      expect(await image()).toMatch(/:0\.2\.0$/);
      expect(await level()).toBe('info');
      await bash(
        'helm --namespace artist-watch uninstall artist-watch && kubectl -n artist-watch delete job migrate --ignore-not-found',
      );
      await expectNothingButNamespaceAndSecrets();
    },
    timeoutMs,
  );

  test(
    'everything starts on one machine, with stores in the cluster and a demo',
    async () => {
      await bash('kubectl -n artist-watch delete secrets --all');
      // A provisioner would create these volumes.
      for (const name of ['one', 'another']) {
        await cluster.plane.request('POST', '/api/v1/persistentvolumes', {
          metadata: { name },
          spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: `/${name}` } },
        });
      }
      await bash(await block('overlays/local/data'));
      for (const name of ['api', 'dashboard', 'mailbox']) {
        await bash(`kubectl -n artist-watch rollout status --timeout=5m deployment/${name}`);
      }
    },
    timeoutMs,
  );
});

if (!programs) {
  test.skip('installing on a real control plane: not installed; tests/kubernetes/build.sh builds it and needs Go', () =>
    undefined);
}

import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../contract/k8s/find-program.js';
import { blocksOf, type Cluster, report, root, startCluster, timeoutMs } from './cluster.js';
import { findControlPlane } from './control-plane.js';

const programs = findControlPlane();
const services = ['api', 'change-ingest', 'webhook-worker', 'dashboard'] as const;

let cluster: Cluster;
const bash = (script: string) => cluster.bash(script);

/** Returns the lowest number of ready pods by Deployment while `work` runs. */
async function fewestReady(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const fewest: Record<string, number> = {};
  let working = true;
  const watching = (async () => {
    while (working) {
      const { items } = JSON.parse(
        await cluster.plane.request('GET', '/apis/apps/v1/namespaces/artist-watch/deployments'),
      );
      for (const { metadata, status } of items) {
        fewest[metadata.name] = Math.min(fewest[metadata.name] ?? Number.POSITIVE_INFINITY, status.readyReplicas ?? 0);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  await work().finally(() => {
    working = false;
  });
  await watching;
  return fewest;
}

async function zonesOf(name: string): Promise<Record<string, number>> {
  const nodes = await bash(
    `kubectl -n artist-watch get pods --selector=app.kubernetes.io/name=${name} --field-selector=status.phase=Running \
       --output=jsonpath='{.items[*].spec.nodeName}'`,
  );
  const zones: Record<string, number> = {};
  for (const node of nodes.split(' ').filter(Boolean)) {
    const zone = node.split('-')[1] ?? '';
    zones[zone] = (zones[zone] ?? 0) + 1;
  }
  return zones;
}

const rolledOut = (names: readonly string[] = services) =>
  bash(names.map((name) => `kubectl -n artist-watch rollout status --timeout=5m deployment/${name}`).join('\n'));

(programs ? describe : describe.skip)('on a real control plane', () => {
  beforeAll(async () => {
    if (programs) cluster = await startCluster(programs);
  }, timeoutMs);

  afterAll(() => cluster?.stop(), timeoutMs);

  test.each(['production/migration', 'production', 'production/monitoring', 'local/data', 'local/migration', 'local'])(
    'the overlay %s is accepted, without fields unknown to the API',
    async (overlay) => {
      const applied = await bash(
        `kubectl apply --server-side --validate=strict --force-conflicts --dry-run=server -k k8s/overlays/${overlay}`,
      );
      report(`${applied.trim().split('\n').length} objects accepted`);
      expect(applied).toContain('serverside-applied');
    },
    timeoutMs,
  );

  (findProgram('helm') ? test : test.skip)(
    'the output of the Helm chart is accepted, without fields unknown to the API',
    async () => {
      const command = 'kubectl apply --server-side --validate=strict --dry-run=server --filename=-';
      const set = '--set monitoring.enabled=true --namespace artist-watch';
      await expect(bash(`helm template it k8s/chart ${set} | ${command}`)).resolves.toContain('serverside-applied');
    },
    timeoutMs,
  );

  test(
    'the installation works as k8s/README.md says, with pods in every zone',
    async () => {
      const [installation = ''] = (await blocksOf('k8s/README.md', 'sh')).filter((block) =>
        block.includes('overlays/production/monitoring'),
      );
      await bash(installation);
      // KEDA would set the replicas. Without it, the Deployment has one.
      await bash('kubectl -n artist-watch scale deployment webhook-worker --replicas=3');
      await rolledOut();
      for (const name of services) {
        const zones = await zonesOf(name);
        report(`${name}: ${JSON.stringify(zones)}`);
        expect(Math.max(...Object.values(zones))).toBe(1);
      }
    },
    timeoutMs,
  );

  test('a pod that violates the restricted Pod Security Standard is rejected', async () => {
    const pod = 'kubectl -n artist-watch run somebody --image=registry.example/x';
    await expect(bash(pod)).rejects.toThrow('violates PodSecurity "restricted');
  });

  test(
    "the upgrade works as its runbook says while the previous migration's Job still exists, and no service loses a pod",
    async () => {
      const release = path.join(cluster.checkout, 'k8s/overlays/production/release/kustomization.yaml');
      const blocks = await blocksOf('docs/runbooks/upgrading.md');
      for (const version of ['0.2.0', '0.3.0']) {
        const text = await readFile(release, 'utf8');
        await writeFile(release, text.replaceAll(/newTag: \S+/g, `newTag: ${version}`));
        const fewest = await fewestReady(async () => {
          for (const block of blocks) await bash(block);
        });
        report(`to ${version}, fewest ready: ${JSON.stringify(fewest)}`);
        for (const name of services) expect([name, fewest[name]]).toEqual([name, name === 'webhook-worker' ? 3 : 2]);
        const images = await bash(`kubectl -n artist-watch get deployments --output=jsonpath='{..image}'`);
        expect(images.split(' ').filter((image) => !image.endsWith(`:${version}`))).toEqual([]);
      }
    },
    timeoutMs,
  );

  test(
    'while nodes are drained, every Deployment keeps at least one ready pod',
    async () => {
      const fewest = await fewestReady(async () => {
        for (const node of ['node-a-0', 'node-a-1', 'node-b-0']) {
          await bash(`kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --force --timeout=5m`);
        }
      });
      await bash('kubectl uncordon node-a-0 node-a-1 node-b-0');
      report(`fewest ready: ${JSON.stringify(fewest)}`);
      // The toolbox has one pod, which serves no requests and restarts on another node.
      const { toolbox: _, ...serving } = fewest;
      expect(Math.min(...Object.values(serving))).toBeGreaterThanOrEqual(1);
    },
    timeoutMs,
  );

  test(
    'the restore stops the writing services and starts them again, as its runbook says',
    async () => {
      const blocks = await blocksOf('docs/runbooks/restoring-a-backup.md');
      expect(blocks[0]).toContain('autoscaling.keda.sh/paused-replicas=0');
      await Promise.all([
        bash(blocks[0] ?? ''),
        // KEDA scales like this for a paused ScaledObject.
        bash('kubectl -n artist-watch scale deployment webhook-worker --replicas=0'),
      ]);
      const selector = `app.kubernetes.io/name in (${services.join(', ')})`;
      const left = await bash(`kubectl -n artist-watch get pods --selector='${selector}' --output=name`);
      expect(left.trim()).toBe('');
      for (const block of blocks.slice(1)) await bash(block);
      await bash('kubectl -n artist-watch scale deployment webhook-worker --replicas=2');
      await rolledOut();
      expect(await bash('kubectl -n artist-watch get scaledobject webhook-worker --output=yaml')).not.toContain(
        'paused',
      );
    },
    timeoutMs,
  );

  test(
    'fifty workers fit into the cluster, evenly spread over the zones',
    async () => {
      await bash('kubectl -n artist-watch scale deployment webhook-worker --replicas=50');
      await rolledOut(['webhook-worker']);
      const zones = await zonesOf('webhook-worker');
      report(`webhook-worker: ${JSON.stringify(zones)}`);
      expect(Object.values(zones).reduce((sum, count) => sum + count)).toBe(50);
      expect(Math.max(...Object.values(zones)) - Math.min(...Object.values(zones))).toBeLessThanOrEqual(2);
    },
    timeoutMs,
  );

  test(
    'every other kubectl command in a runbook finds its objects',
    async () => {
      await bash(`kubectl -n artist-watch create secret tls api-certificate --cert=<(openssl req -x509 -newkey rsa:2048 \
        -nodes -keyout tls.key -out tls.crt -subj /CN=api 2>/dev/null && cat tls.crt) --key=tls.key`);
      const own = ['upgrading.md', 'restoring-a-backup.md'];
      for (const page of (await readdir(path.join(root, 'docs/runbooks'))).filter((file) => !own.includes(file))) {
        for (const block of await blocksOf(`docs/runbooks/${page}`)) {
          await expect(
            // Nothing responds to `curl` here, and there are no logs to `grep`.
            bash(block.replaceAll(/^curl .*$/gm, '').replaceAll(/ \| grep .*$/gm, '')).catch((error) =>
              Promise.reject(new Error(`${page}: ${error}`)),
            ),
          ).resolves.toBeDefined();
        }
      }
    },
    timeoutMs,
  );
});

if (!programs) {
  test.skip('on a real control plane: not installed; tests/kubernetes/build.sh builds it and needs Go', () =>
    undefined);
}

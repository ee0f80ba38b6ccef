import { expect, test } from '@jest/globals';
import { findProgram } from './k8s/find-program.js';
import { readManifests, renderWith, workloadsOf } from './k8s/manifests.js';
import { mistakesIn } from './k8s/validate-manifest.js';

const MOUNT = '/etc/store-authorities';

const trusted = { name: 'NODE_EXTRA_CA_CERTS', value: `${MOUNT}/ca.pem` };

// Without kubectl, only k8s/rendered is available, and none of its overlays has the component.
(findProgram('kubectl') ? test : test.skip).each(['production', 'production/migration'])(
  "with the component, only the pods that connect to a store in %s trust the ConfigMap's certificates",
  async (overlay) => {
    const all = await renderWith(overlay, 'store-authorities');
    for (const workload of workloadsOf(all)) {
      const { template } = workload.spec;
      const labels = template.metadata.labels ?? {};
      const connects = 'reaches-postgres' in labels || 'reaches-redis' in labels;
      const [container] = template.spec.containers;
      const name = workload.metadata.name;
      expect([name, container?.env?.filter((each) => each.name === trusted.name) ?? []]).toEqual([
        name,
        connects ? [trusted] : [],
      ]);
      expect([name, container?.volumeMounts?.some(({ mountPath }) => mountPath === MOUNT) ?? false]).toEqual([
        name,
        connects,
      ]);
    }
    for (const manifest of all) expect(await mistakesIn(manifest)).toEqual([]);
  },
);

test('without the component, no pod trusts additional authorities', () => {
  const texts = JSON.stringify(
    ['production', 'production-migration'].map((file) => readManifests(`rendered/${file}.yaml`)),
  );
  expect(texts).not.toContain(trusted.name);
});

(findProgram('kubectl') ? test : test.skip).each(['production', 'production/migration'])(
  'with the component, every pod of %s names the pull secret',
  async (overlay) => {
    const all = await renderWith(overlay, 'pull-secret');
    const pods = workloadsOf(all).map(({ metadata, spec }) => [metadata.name, spec.template.spec.imagePullSecrets]);
    expect(pods.length).toBeGreaterThan(0);
    for (const [name, secrets] of pods) expect([name, secrets]).toEqual([name, [{ name: 'registry' }]]);
    for (const manifest of all) expect(await mistakesIn(manifest)).toEqual([]);
  },
);

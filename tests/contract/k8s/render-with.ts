import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { K8S, type Manifest, parseManifests } from './manifests.js';

const run = promisify(execFile);

/** What kubectl makes of an overlay (`production`, `production/migration`) with a component besides its own. */
export async function renderWith(overlay: string, component: string): Promise<Manifest[]> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), 'artist-watch-k8s-')));
  try {
    const kustomization = {
      resources: [path.relative(directory, path.join(K8S, 'overlays', overlay))],
      components: [path.relative(directory, path.join(K8S, 'components', component))],
    };
    await writeFile(path.join(directory, 'kustomization.yaml'), stringify(kustomization));
    const { stdout } = await run('kubectl', ['kustomize', directory], { maxBuffer: 16 * 1024 * 1024 });
    return parseManifests(stdout);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

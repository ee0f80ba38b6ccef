import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parseAllDocuments, stringify } from 'yaml';

export type Labels = Readonly<Record<string, string>>;

export const K8S = fileURLToPath(new URL('../../../k8s/', import.meta.url));

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  // biome-ignore lint/suspicious/noExplicitAny: validated against its schema by a test of its own
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

export type Container = IContainer;

export interface Workload extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: IPodSpec };
  };
}

export function readManifests(file: string): Manifest[] {
  return parseManifests(readFileSync(path.join(K8S, file), 'utf8'));
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw error;
    return document.toJS() as Manifest;
  });
}

/** A CronJob counts as the Jobs that it creates. */
export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return manifests
    .map((each) => (each.kind === 'CronJob' ? { ...each, kind: 'Job', spec: each.spec.jobTemplate.spec } : each))
    .filter((each): each is Workload => ['Deployment', 'StatefulSet', 'Job'].includes(each.kind));
}

export function programOf(workload: Workload): string | undefined {
  const image = workload.spec.template.spec.containers[0]?.image ?? '';
  return /(?:^artist-watch-|\/artist-watch\/)([a-z-]+):/.exec(image)?.[1];
}

export function selects(matchLabels: Labels | undefined, labels: Labels | undefined): boolean {
  return Object.entries(matchLabels ?? {}).every(([name, value]) => labels?.[name] === value);
}

const run = promisify(execFile);

/** Renders an overlay (`production`, `production/migration`) with an additional component. */
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

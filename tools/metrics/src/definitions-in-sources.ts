import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type DefinitionInSource, definitionsInSource } from './definitions-in-source.js';
import type { MetricDefinition } from './metric-definition.js';

/** Metrics that every service tells, because its registry is made with them. */
const OF_EVERY_REGISTRY = 'packages/observability/src/event-loop-time.ts';

interface Source {
  /** Relative to the checkout, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

/**
 * All metrics that the services define, sorted by name. One that a package defines belongs to the services that import
 * its module.
 *
 * @param root the checkout
 * @throws UnreadableDefinition, or an Error when two definitions of a name say different things.
 */
export async function readMetricDefinitions(root: string): Promise<MetricDefinition[]> {
  const services = await sourcesOf(root, 'services');
  const packages = await sourcesOf(root, 'packages');
  const byName = new Map<string, MetricDefinition>();
  for (const source of [...services, ...packages]) {
    for (const definition of definitionsInSource(source.text)) {
      add(byName, { ...definition, services: tellersOf(source.file, services) });
    }
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function sourcesOf(root: string, parent: string): Promise<Source[]> {
  const files = await readdir(path.join(root, parent), { recursive: true });
  const wanted = files
    .map((file) => `${parent}/${file.split(path.sep).join('/')}`)
    .filter((file) => /^[^/]+\/[^/]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/generated\//.test(file))
    .sort();
  return Promise.all(wanted.map(async (file) => ({ file, text: await readFile(path.join(root, file), 'utf8') })));
}

function tellersOf(file: string, services: readonly Source[]): string[] {
  const [parent, name, , ...rest] = file.split('/');
  if (parent === 'services') return [name ?? ''];
  const all = [...new Set(services.map((source) => source.file.split('/')[1] ?? ''))];
  if (file === OF_EVERY_REGISTRY) return all;
  const module = `@artist-watch/${name}/${rest.join('/').replace(/\.ts$/, '')}'`;
  return all.filter((service) =>
    services.some((source) => source.file.startsWith(`services/${service}/`) && source.text.includes(module)),
  );
}

function add(byName: Map<string, MetricDefinition>, definition: DefinitionInSource & { services: readonly string[] }) {
  const known = byName.get(definition.name);
  if (known && (known.type !== definition.type || known.help !== definition.help)) {
    throw new Error(`${definition.name} is defined twice, and not alike.`);
  }
  const services = [...new Set([...(known?.services ?? []), ...definition.services])].sort();
  byName.set(definition.name, { ...definition, services });
}

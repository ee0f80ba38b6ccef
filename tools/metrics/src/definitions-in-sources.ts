import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type DefinitionInSource, definitionsInSource, type MetricDefinition } from './definitions-in-source.js';

/** Metrics that every service reports, because its registry is made with them. */
const OF_EVERY_REGISTRY = 'packages/observability/src/event-loop-time.ts';

/** Imports and re-exports of values; those of types run nothing. */
const VALUE_IMPORT = /(?:import|export) (?!type )[^;']*? from '([^']+)'/g;

interface Source {
  /** Relative to the checkout, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

/**
 * All metrics that the services define, sorted by name. One that a package defines belongs to the services that import
 * its module, directly or by way of other modules.
 *
 * @param root the checkout
 * @throws UnreadableDefinition, or an Error when two definitions of a name say different things.
 */
export async function readMetricDefinitions(root: string): Promise<MetricDefinition[]> {
  const services = await sourcesOf(root, 'services');
  const packages = await sourcesOf(root, 'packages');
  const byName = new Map<string, MetricDefinition>();
  const sources = [...services, ...packages];
  const runners = runnersOf(sources);
  const all = [...new Set(services.map(({ file }) => file.split('/')[1] ?? ''))];
  for (const { file, text } of sources) {
    const of = file === OF_EVERY_REGISTRY ? all : [...(runners.get(file) ?? [])];
    for (const definition of definitionsInSource(text)) add(byName, { ...definition, services: of });
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

/** The services whose process runs a source file: their own, and those of packages that they import, directly or not. */
function runnersOf(sources: readonly Source[]): ReadonlyMap<string, ReadonlySet<string>> {
  const textOf = new Map(sources.map(({ file, text }) => [file, text]));
  const runners = new Map<string, Set<string>>();
  const visit = (file: string, service: string) => {
    const known = runners.get(file) ?? new Set();
    if (known.has(service)) return;
    runners.set(file, known.add(service));
    for (const [, specifier = ''] of (textOf.get(file) ?? '').matchAll(VALUE_IMPORT)) {
      const imported = specifier.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), specifier.replace(/\.js$/, '.ts'))
        : specifier.replace(/^@artist-watch\/([^/]+)\/(.*)$/, 'packages/$1/src/$2.ts');
      if (textOf.has(imported)) visit(imported, service);
    }
  };
  for (const { file } of sources) if (file.startsWith('services/')) visit(file, file.split('/')[1] ?? '');
  return runners;
}

function add(byName: Map<string, MetricDefinition>, definition: DefinitionInSource & { services: readonly string[] }) {
  const known = byName.get(definition.name);
  if (known && (known.type !== definition.type || known.help !== definition.help)) {
    throw new Error(`${definition.name} is defined twice, and not alike.`);
  }
  const services = [...new Set([...(known?.services ?? []), ...definition.services])].sort();
  byName.set(definition.name, { ...definition, services });
}

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseSync } from '@swc/core';

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
  const sources = [...(await sourcesOf(root, 'services')), ...(await sourcesOf(root, 'packages'))];
  const byName = new Map<string, MetricDefinition>();
  const runners = runnersOf(sources);
  for (const { file, text } of sources) {
    const of = [...(runners.get(file) ?? [])];
    for (const definition of definitionsInSource(text)) record(byName, { ...definition, services: of });
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

function record(
  byName: Map<string, MetricDefinition>,
  definition: DefinitionInSource & { services: readonly string[] },
) {
  const known = byName.get(definition.name);
  if (known && (known.type !== definition.type || known.help !== definition.help)) {
    throw new Error(`${definition.name} is defined twice, and not alike.`);
  }
  const services = [...new Set([...(known?.services ?? []), ...definition.services])].sort();
  byName.set(definition.name, { ...definition, services });
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** A metric as a source file defines it. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Besides `service`, which every series carries. */
  readonly labels: readonly string[];
  /** The services that report it, sorted. */
  readonly services: readonly string[];
}

/** The names under which Prometheus keeps the series of a metric. */
export function seriesNames({ name, type }: Pick<MetricDefinition, 'name' | 'type'>): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

export type DefinitionInSource = Omit<MetricDefinition, 'services'>;

/** A definition that cannot be read from the source: the table would be silently short of it. */
export class UnreadableDefinition extends Error {
  override readonly name = 'UnreadableDefinition';
}

const METHODS: Readonly<Record<string, MetricType>> = { counter: 'counter', gauge: 'gauge', histogram: 'histogram' };
const CLASSES: Readonly<Record<string, MetricType>> = { Counter: 'counter', Gauge: 'gauge', Histogram: 'histogram' };

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * The metrics that a TypeScript source defines: `metrics.counter({ name: …, help: … })`, and prom-client's own classes.
 *
 * @throws UnreadableDefinition when a name, a help text or a label is not written out as text.
 */
export function definitionsInSource(source: string): DefinitionInSource[] {
  const definitions: DefinitionInSource[] = [];
  for (const node of nodesBelow(parseSync(source, { syntax: 'typescript', target: 'es2022' }) as unknown as Node)) {
    const type = typeDefinedBy(node);
    const options = type && firstArgument(node);
    if (!type || !options) continue;
    // The wrapper of packages/observability passes on what it is given.
    if (node.type === 'NewExpression' && !property(options, 'name')) continue;
    definitions.push({
      type,
      name: text(property(options, 'name'), 'name'),
      help: text(property(options, 'help'), 'help'),
      labels: texts(property(options, 'labels') ?? property(options, 'labelNames')),
    });
  }
  return definitions;
}

function typeDefinedBy(node: Node): MetricType | undefined {
  const callee = node.callee as Node | undefined;
  if (callee?.type !== 'MemberExpression') return undefined;
  const { value } = callee.property as { readonly value?: string };
  const types = { CallExpression: METHODS, NewExpression: CLASSES }[node.type];
  return types && value !== undefined && Object.hasOwn(types, value) ? types[value] : undefined;
}

function firstArgument(node: Node): Node | undefined {
  const [argument] = node.arguments as readonly { readonly expression: Node }[];
  return argument?.expression.type === 'ObjectExpression' ? argument.expression : undefined;
}

function property(object: Node, name: string): Node | undefined {
  for (const each of object.properties as readonly Node[]) {
    if (each.type === 'KeyValueProperty' && (each.key as Node).value === name) return each.value as Node;
  }
  return undefined;
}

function text(node: Node | undefined, what: string): string {
  if (node?.type === 'StringLiteral') return node.value as string;
  if (node?.type === 'BinaryExpression' && node.operator === '+') {
    return text(node.left as Node, what) + text(node.right as Node, what);
  }
  throw new UnreadableDefinition(`The ${what} of a metric is not written out as text.`);
}

function texts(node: Node | undefined): string[] {
  if (!node) return [];
  if (node.type !== 'ArrayExpression') throw new UnreadableDefinition('The labels of a metric are not written out.');
  return (node.elements as readonly { readonly expression: Node }[]).map((each) => text(each.expression, 'label'));
}

function* nodesBelow(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const each of value) yield* nodesBelow(each);
  } else if (typeof value === 'object' && value !== null) {
    if ('type' in value && typeof value.type === 'string') yield value as Node;
    for (const each of Object.values(value)) yield* nodesBelow(each);
  }
}

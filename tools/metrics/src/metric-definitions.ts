import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseSync } from '@swc/core';

/** Matches value imports and re-exports, because type imports don't run any code. */
const VALUE_IMPORT = /(?:(?:import|export) (?!type )[^;']*? from |await import\()'([^']+)'/g;

export interface Source {
  /** Relative to the checkout, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

/**
 * Returns metrics sorted by name. A metric defined in a package belongs to every service that imports the module,
 * directly or indirectly.
 * @param root the checkout
 * @throws UnreadableDefinition, or Error if a name has two different definitions
 */
export async function readMetricDefinitions(root: string): Promise<MetricDefinition[]> {
  const sources = await readSources(root);
  const byName = new Map<string, MetricDefinition>();
  const runners = findRunners(sources);
  for (const { file, text } of sources) {
    const services = [...(runners.get(file) ?? [])];
    for (const definition of definitionsInSource(text)) addDefinition(byName, { ...definition, services });
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

export async function readSources(root: string): Promise<Source[]> {
  return [...(await readSourcesIn(root, 'services')), ...(await readSourcesIn(root, 'packages'))];
}

async function readSourcesIn(root: string, parent: string): Promise<Source[]> {
  const files = await readdir(path.join(root, parent), { recursive: true });
  const wanted = files
    .map((file) => `${parent}/${file.split(path.sep).join('/')}`)
    .filter((file) => /^[^/]+\/[^/]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/generated\//.test(file))
    .sort();
  return Promise.all(wanted.map(async (file) => ({ file, text: await readFile(path.join(root, file), 'utf8') })));
}

/** Returns the services that contain or (directly or indirectly) import each source file. */
export function findRunners(sources: readonly Source[]): ReadonlyMap<string, ReadonlySet<string>> {
  const textByFile = new Map(sources.map(({ file, text }) => [file, text]));
  const runners = new Map<string, Set<string>>();
  const visit = (file: string, service: string) => {
    const known = runners.get(file) ?? new Set();
    if (known.has(service)) return;
    runners.set(file, known.add(service));
    for (const [, specifier = ''] of (textByFile.get(file) ?? '').matchAll(VALUE_IMPORT)) {
      const imported = specifier.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), specifier.replace(/\.js$/, '.ts'))
        : specifier.replace(/^@artist-watch\/([^/]+)\/(.*)$/, 'packages/$1/src/$2.ts');
      if (textByFile.has(imported)) visit(imported, service);
    }
  };
  for (const { file } of sources) if (file.startsWith('services/')) visit(file, file.split('/')[1] ?? '');
  return runners;
}

function addDefinition(
  byName: Map<string, MetricDefinition>,
  definition: DefinitionInSource & { services: readonly string[] },
) {
  const known = byName.get(definition.name);
  if (known && (known.type !== definition.type || known.help !== definition.help)) {
    throw new Error(`${definition.name} has two different definitions.`);
  }
  const services = [...new Set([...(known?.services ?? []), ...definition.services])].sort();
  byName.set(definition.name, { ...definition, services });
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

export interface MetricDefinition {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Excludes `service`, because every series has it. */
  readonly labels: readonly string[];
  /** Sorted by name. */
  readonly services: readonly string[];
}

export function seriesNames({ name, type }: Pick<MetricDefinition, 'name' | 'type'>): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

export type DefinitionInSource = Omit<MetricDefinition, 'services'>;

/** Without this error, the metric would silently be missing from docs/metrics.md. */
export class UnreadableDefinition extends Error {
  override readonly name = 'UnreadableDefinition';
}

const METHODS: Readonly<Record<string, MetricType>> = { counter: 'counter', gauge: 'gauge', histogram: 'histogram' };
const CLASSES: Readonly<Record<string, MetricType>> = { Counter: 'counter', Gauge: 'gauge', Histogram: 'histogram' };

export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * Finds `metrics.counter({ name: …, help: … })` and direct uses of prom-client's classes.
 * @throws UnreadableDefinition if a name, help text or label isn't a string literal
 */
export function definitionsInSource(source: string): DefinitionInSource[] {
  const definitions: DefinitionInSource[] = [];
  for (const node of nodesOf(source)) {
    const type = typeDefinedBy(node);
    const options = type && firstArgument(node);
    if (!type || !options) continue;
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
  throw new UnreadableDefinition(`The ${what} of a metric is not a string literal.`);
}

function texts(node: Node | undefined): string[] {
  if (!node) return [];
  if (node.type !== 'ArrayExpression')
    throw new UnreadableDefinition('The labels of a metric are not an array literal.');
  return (node.elements as readonly { readonly expression: Node }[]).map((each) => text(each.expression, 'label'));
}

export function nodesOf(source: string): Generator<Node> {
  return nodesBelow(parseSync(source, { syntax: 'typescript', target: 'es2022' }));
}

function* nodesBelow(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const each of value) yield* nodesBelow(each);
  } else if (typeof value === 'object' && value !== null) {
    if ('type' in value && typeof value.type === 'string') yield value as Node;
    for (const each of Object.values(value)) yield* nodesBelow(each);
  }
}

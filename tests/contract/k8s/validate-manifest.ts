import type { Manifest } from './manifests.js';

interface Model {
  validate(): void;
}
type ModelClass = new (data: unknown) => Model;

const PACKAGES: readonly (readonly [apiGroup: RegExp, name: string])[] = [
  [/^keda\.sh\//, '@kubernetes-models/keda'],
  [/^monitoring\.coreos\.com\//, '@kubernetes-models/prometheus-operator'],
  [/^/, 'kubernetes-models'],
];

/** KEDA added these fields after version 2.10 of the schema. A package with a later version needs Node 22. */
const LATER: readonly (readonly [kind: string, field: string, values: readonly string[]])[] = [
  // KEDA 2.17.
  [
    'ScaledObject',
    '/spec/fallback/behavior',
    ['static', 'currentReplicas', 'currentReplicasIfHigher', 'currentReplicasIfLower'],
  ],
];

/** Returns the mistakes, one line each. A cluster would silently ignore a misspelled field. */
export async function mistakesIn(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const name = PACKAGES.find(([apiGroup]) => apiGroup.test(apiVersion))?.[1];
  const models = (await import(`${name}/${apiVersion}`)) as Record<string, ModelClass | undefined>;
  const Kind = models[kind];
  if (!Kind) return [`${kind} of ${apiVersion} is not known`];

  const model = new Kind(manifest);
  const read = new Set<string>();
  const mistakes: string[] = [];
  try {
    model.validate.call(watched(model, '', read));
  } catch (error) {
    mistakes.push(error instanceof Error ? error.message : String(error));
  }
  return [
    ...mistakes,
    ...fieldsOf(manifest, '')
      .filter((field) => !read.has(field) && !isLater(manifest, field))
      .map((field) => `unknown: ${field}`),
  ];
}

function isLater(manifest: Manifest, field: string): boolean {
  const [, , values] = LATER.find(([kind, later]) => kind === manifest.kind && later === field) ?? [];
  let value: unknown = manifest;
  for (const key of field.split('/').slice(1)) value = (value as Readonly<Record<string, unknown>>)[key];
  return values?.includes(String(value)) ?? false;
}

/** A validator reads exactly the fields in its schema, so recording its reads finds the known fields. */
function watched<Value>(value: Value, path: string, read: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      const field = Reflect.get(target, key, receiver);
      if (typeof key === 'symbol') return field;
      const place = Array.isArray(target) ? `${path}[]` : `${path}/${key}`;
      read.add(place);
      return typeof field === 'function' ? field : watched(field, place, read);
    },
  });
}

function fieldsOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((each) => fieldsOf(each, `${path}[]`)))];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [`${path}/${key}`, ...fieldsOf(field, `${path}/${key}`)]);
}

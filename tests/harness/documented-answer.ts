import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ApiAnswer } from './api-call.js';

interface Documented {
  readonly headers?: Record<string, { readonly required?: boolean }>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface OpenApi {
  readonly paths: Record<
    string,
    Record<
      string,
      { readonly responses: Record<string, Documented | { $ref: string }>; readonly 'x-error-codes': readonly string[] }
    >
  >;
  readonly components: {
    readonly responses: Record<string, Documented>;
    readonly schemas: Record<string, object>;
  };
}

const BASE_PATH = '/v1';
const file = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

let read: { readonly document: OpenApi; readonly ajv: Ajv2020 } | undefined;
const validators = new Map<string, ValidateFunction>();

/**
 * Checks the status, error code, headers and fields of a response against docs/openapi.json.
 * @throws Error if the response differs from the documentation.
 */
export function expectDocumented(method: string, target: string, answer: ApiAnswer): void {
  read ??= load();
  const { document } = read;
  const path = (target.split('?', 1)[0] ?? '').replace(/^https?:\/\/[^/]*/, '');
  // A path without parameters takes precedence (OpenAPI 3.1, Paths Object).
  const asItStands = path.slice(BASE_PATH.length);
  const template =
    asItStands in document.paths
      ? asItStands
      : Object.keys(document.paths).find((candidate) => matches(`${BASE_PATH}${candidate}`, path));
  const operation = template && document.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  // Errors for an unknown path or method are documented for every operation.
  const fallback = document.paths['/usage']?.get;
  const { responses = {}, 'x-error-codes': codes = [] } = operation || fallback || {};
  const isError = answer.status >= 400;
  const named = responses[isError ? `${Math.floor(answer.status / 100)}XX` : String(answer.status)];
  const isKnown = !isError || method === 'HEAD' || codes.includes(answer.body?.error?.code);
  if (!named || !isKnown) throw new Error(`${method} ${path}: ${answer.status} is not documented. ${answer.text}`);
  const response = '$ref' in named ? document.components.responses[lastOf(named.$ref)] : named;
  checkHeaders(response, answer, `${method} ${path} ${answer.status}`);
  if (method !== 'HEAD') checkBody(response, answer, `${template ?? 'none'} ${method} ${answer.status}`);
}

/** The document's description promises these headers for every response or for some statuses. */
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
const WITHOUT_RATE = new Set([408, 431]);

function checkHeaders(response: Documented | undefined, answer: ApiAnswer, what: string): void {
  const { status } = answer;
  const required = Object.entries(response?.headers ?? {}).filter(([, header]) => header.required);
  const names = [
    ...['X-Request-Id', ...(WITHOUT_RATE.has(status) ? [] : RATE_HEADERS), ...(HEADERS_BY_STATUS[status] ?? [])],
    ...required.map(([name]) => name),
  ];
  for (const name of names) {
    if (!(name.toLowerCase() in answer.headers)) throw new Error(`${what}: the header ${name} is missing`);
  }
}

function checkBody(response: Documented | undefined, answer: ApiAnswer, what: string): void {
  const [type = ''] = answer.headers['content-type']?.split(';') ?? [];
  const schema = response?.content?.[type]?.schema;
  if (!schema) {
    if (answer.text !== '') throw new Error(`${what}: the response has a body, but none is documented: ${answer.text}`);
    return;
  }
  if (type !== 'application/json') return;
  let validate = validators.get(what);
  if (!validate) {
    validate = read?.ajv.compile(closed(schema)) as ValidateFunction;
    validators.set(what, validate);
  }
  if (!validate(answer.body)) {
    throw new Error(`${what}: ${JSON.stringify(validate.errors)} in ${answer.text.slice(0, 500)}`);
  }
}

function load() {
  const document = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  // Compiling the meta-schema takes longer than compiling all our schemas, and Redocly validates the document (`npm run
  // check`).
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
  formats.default(ajv);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(closed(schema), `#/components/schemas/${name}`);
  }
  return { document, ajv };
}

/** The document allows new fields, but a test must reject them. */
function closed(schema: unknown): object {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema as unknown as object;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, name === 'example' ? value : closed(value)]),
  );
  if ('properties' in copy && !('additionalProperties' in copy)) copy.additionalProperties = false;
  return copy;
}

function matches(template: string, path: string): boolean {
  const expression = template.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.');
  return new RegExp(`^${expression}$`).test(path);
}

function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** This client knows only the API's OpenAPI document, and follows its links from one response to the next. */

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly links?: Readonly<Record<string, Link>> }>>;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

type Json = Readonly<Record<string, unknown>>;

export interface Answer<Body = Json> {
  readonly body: Body;
  /** `item` is the index in a list. */
  follow<Next = Json>(link: string, item?: number): Promise<Answer<Next>>;
}

export interface DocumentReader {
  ask<Body = Json>(operationId: string, parameters?: Readonly<Record<string, string>>): Promise<Answer<Body>>;
}

export async function openDocument(documentUrl: string, apiKey: string): Promise<DocumentReader> {
  const document = (await (await fetch(documentUrl)).json()) as Document;
  const base = new URL(document.servers[0]?.url ?? '', documentUrl).href;

  async function ask<Body>(operationId: string, values: Readonly<Record<string, string>> = {}): Promise<Answer<Body>> {
    const { method, path, operation } = find(document, operationId);
    const url = new URL(base + path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? '')));
    for (const { name, in: place } of operation.parameters ?? []) {
      if (place === 'query' && values[name] !== undefined) url.searchParams.set(name, values[name]);
    }
    const response = await fetch(url, { method, headers: { Authorization: `Bearer ${apiKey}` } });
    if (!response.ok) throw new Error(`${operationId} ${url.pathname}: ${response.status} ${await response.text()}`);
    const body = (await response.json()) as Body;
    const links = operation.responses[String(response.status)]?.links ?? {};
    return {
      body,
      follow(name, item = 0) {
        const link = links[name];
        if (!link) throw new Error(`${operationId} has no link "${name}".`);
        const next = Object.entries(link.parameters).map(([parameter, expression]) => [
          parameter,
          valueAt(body, expression.replace('/data/0/', `/data/${item}/`)),
        ]);
        return ask(link.operationId, Object.fromEntries(next));
      },
    };
  }
  return { ask };
}

function find({ paths }: Document, operationId: string) {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.operationId === operationId) return { method: method.toUpperCase(), path, operation };
    }
  }
  throw new Error(`The document has no operation "${operationId}".`);
}

/** Evaluates runtime expressions of OpenAPI 3.1, as far as our links use them: `$response.body#/a/b`. */
function valueAt(body: unknown, expression: string): string {
  const [, pointer = ''] = /^\$response\.body#\/(.*)$/.exec(expression) ?? [];
  return String(pointer.split('/').reduce<unknown>((at, part) => (at as Json)[part], body));
}

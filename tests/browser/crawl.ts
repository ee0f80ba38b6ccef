import { allGuestPages, allPages } from '@artist-watch/dashboard/pages/all';
import type { PageParts } from '@artist-watch/dashboard/pages/parts';
import type { APIRequestContext } from 'playwright-core';
import type { Account, Stage } from './stage.js';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
}

export const TABLE: readonly Route[] = [
  ...allGuestPages({} as PageParts),
  ...allPages({} as PageParts).map(({ method, path }) => ({
    method,
    path: `/a/:account${path === '/' ? '' : path}`,
  })),
].map(({ method, path }) => ({
  method,
  path,
  // A literal word takes precedence over a parameter, because the table lists it first.
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
}));

/** Leaves out routes that only an email, another site or a form leads to. The sign-in walks test those. */
export const ROUTES = TABLE.filter(
  ({ path }) => !/^\/(?:sign-in\/link|unsubscribe)\//.test(path) && !path.endsWith('/code'),
);

export interface Crawl {
  /** A few linked pages of each route, with query. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
  /** Routes of linked files. */
  readonly files: ReadonlySet<string>;
  /** Routes that a form on one of the pages posts to. */
  readonly forms: ReadonlySet<string>;
  /** Linked URLs whose response is neither a page nor a file. */
  readonly broken: readonly string[];
}

/** Pages of one route can differ. For example, a destination that is switched off has other forms. */
const EXAMPLES = 8;

/** Follows the dashboard's links from the overview, like a visitor without scripts. */
export async function crawl({ stack }: Stage, { url }: Account, request: APIRequestContext): Promise<Crawl> {
  const pages = new Map<string, string[]>();
  const files = new Set<string>();
  const forms = new Set<string>();
  const broken: string[] = [];
  const waiting = [
    ...[url(''), `${stack.dashboardUrl}/`, `${stack.dashboardUrl}/sign-in`],
    // Only a form leads to these pages.
    ...[`${stack.dashboardUrl}/fresh-code?to=`, url('/search?q=a')],
  ];
  const known = new Set(waiting);

  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { pathname, search } = new URL(next);
    const examples = examplesOf('GET', pathname);
    if (!examples || examples.length >= EXAMPLES) continue;
    const answer = await request.get(next);
    if (!answer.ok()) broken.push(`${answer.status()} ${pathname}${search}`);
    if (!answer.ok() || !(answer.headers()['content-type'] ?? '').startsWith('text/html')) {
      const path = routeOf('GET', pathname)?.path ?? '';
      pages.delete(path);
      if (answer.ok()) files.add(path);
      continue;
    }
    examples.push(pathname + search);
    const html = await answer.text();
    for (const [, action = ''] of html.matchAll(/ (?:action|formaction)="([^"]*)"/g)) {
      const route = routeOf('POST', new URL(unescaped(action), next).pathname);
      if (route) forms.add(route.path);
    }
    for (const [, href = ''] of html.matchAll(/<(?:a|img)[^>]* (?:href|src)="([^"]*)"/g)) {
      const found = new URL(unescaped(href), next);
      found.hash = '';
      if (found.origin !== stack.dashboardUrl || known.has(found.href)) continue;
      known.add(found.href);
      waiting.push(found.href);
    }
  }
  return { pages, files, forms, broken };

  function examplesOf(method: string, pathname: string): string[] | undefined {
    const route = routeOf(method, pathname);
    if (!route) return undefined;
    const examples = pages.get(route.path) ?? [];
    pages.set(route.path, examples);
    return examples;
  }
}

export function routeOf(method: string, pathname: string): Route | undefined {
  return TABLE.find((route) => route.method === method && route.pattern.test(pathname));
}

function unescaped(attribute: string): string {
  return attribute.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
}

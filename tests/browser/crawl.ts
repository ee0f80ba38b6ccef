import { allGuestPages, allPages } from '@artist-watch/dashboard/pages/all';
import type { PageParts } from '@artist-watch/dashboard/pages/parts';
import type { APIRequestContext } from 'playwright-core';
import type { Account, Stage } from './stage.js';

interface Route {
  readonly method: string;
  /** As the route table writes it: `/a/:account/changes/:change`. */
  readonly path: string;
  readonly pattern: RegExp;
}

/** Every route of the dashboard. */
export const TABLE: readonly Route[] = [
  ...allGuestPages({} as PageParts),
  ...allPages({} as PageParts).map(({ method, path }) => ({
    method,
    path: `/a/:account${path === '/' ? '' : path}`,
  })),
].map(({ method, path }) => ({
  method,
  path,
  // A word of the table wins over a parameter, as the order of the table makes it.
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
}));

/**
 * Those to which links and forms of pages lead. What only a mail leads to, or another site, is left out; so is the page on
 * which a code is typed, to which only a form leads: the walks of sign-in and of a fresh code go there.
 */
export const ROUTES = TABLE.filter(
  ({ path }) => !/^\/(?:sign-in\/link|unsubscribe)\//.test(path) && !path.endsWith('/code'),
);

export interface Crawl {
  /** Path and query of the pages that links lead to, by their route; a few for each. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
  /** Routes of files that links lead to. */
  readonly files: ReadonlySet<string>;
  /** Routes to which a form on one of them posts. */
  readonly forms: ReadonlySet<string>;
  /** Addresses that a link leads to and that answer anything but a page or a file. */
  readonly broken: readonly string[];
}

/** Pages of one route look different with what they show: a destination that is off has other forms. */
const EXAMPLES = 8;

/** Follows the links of the dashboard from the overview, as somebody without scripts does. */
export async function crawl({ stack }: Stage, { url }: Account, request: APIRequestContext): Promise<Crawl> {
  const pages = new Map<string, string[]>();
  const files = new Set<string>();
  const forms = new Set<string>();
  const broken: string[] = [];
  const waiting = [
    ...[url(''), `${stack.dashboardUrl}/`, `${stack.dashboardUrl}/sign-in`],
    // Only a form leads to these.
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

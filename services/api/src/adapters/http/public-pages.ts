import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Cidr, cidrText } from '@artist-watch/address-policy/ip-address';
import { EGRESS_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import type { Platform } from '@artist-watch/domain/catalogue';
import { entityTag, jsonAnswer, matchesTag } from '@artist-watch/http/answer/answer';
import { methodNotAllowed, notFound, pathAndQueryOf } from '@artist-watch/http/request/request-head';
import type { ApiContext, PublicPage } from './access-middleware.js';
import { BASE_PATH, queryParser } from './route.js';

const DOCS_PATH = '/docs';
const ALLOW = ['GET', 'HEAD'];

/** The page may load files only from this API and send requests only to it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** Caching for 10 minutes avoids most requests, and new versions still appear soon. */
const DOCS_CACHE_CONTROL = 'public, max-age=600';

/** URLs are relative to `/docs`, which has no trailing slash. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Artist Watch API</title>
<link rel="icon" type="image/png" sizes="32x32" href="docs/favicon-32x32.png">
<link rel="icon" type="image/png" sizes="16x16" href="docs/favicon-16x16.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;
/** `showExtensions` makes the page show each operation's error codes. */
const START =
  "SwaggerUIBundle({ url: 'docs/openapi.json', dom_id: '#page', validatorUrl: null, showExtensions: true });\n";

const FILES = {
  'favicon-32x32.png': 'image/png',
  'favicon-16x16.png': 'image/png',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

/**
 * Serves `/docs` and `/docs/openapi.json`. Most replicas never serve these files, so they are loaded on first use
 * (docs/adr/0017). They don't require an API key, because browsers cannot send one.
 */
export function createDocsPage(platform: Platform): PublicPage {
  const contents = contentsOf(platform);
  const made = new Map<string, ReturnType<typeof partOf>>();
  const partAt = (path: string) => {
    const content = contents.get(path);
    if (!content || made.has(path)) return made.get(path);
    const part = content.read().then((bytes) => partOf(content.type, bytes));
    made.set(path, part);
    part.catch(() => made.delete(path));
    return part;
  };

  async function respond(context: ApiContext, { method, headers, url }: IncomingMessage, response: ServerResponse) {
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, ALLOW);
    const part = await partAt(pathOf(url));
    if (!part) throw notFound(pathOf(url), DOCS_PATH);
    if (response.headersSent || response.destroyed) return;
    const isGzipped = takesGzip(headers['accept-encoding']);
    const { bytes, tag } = isGzipped ? part.gzipped : part.plain;
    const all = {
      ...context.headersOfAll(),
      'Cache-Control': DOCS_CACHE_CONTROL,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      ETag: tag,
      Vary: 'Accept-Encoding',
    };
    if (matchesTag(headers['if-none-match'], tag)) {
      response.writeHead(304, all).end();
      return;
    }
    response.writeHead(200, {
      ...all,
      'Content-Type': part.type,
      'Content-Length': bytes.length,
      ...(isGzipped && { 'Content-Encoding': 'gzip' }),
    });
    response.end(method === 'HEAD' ? undefined : bytes);
  }

  return {
    isMeant: (url) => pathOf(url) === DOCS_PATH || pathOf(url).startsWith(`${DOCS_PATH}/`),
    answer(context, request, response) {
      context.route = DOCS_PATH;
      respond(context, request, response).catch((error: unknown) => context.fail(error));
    },
  };
}

interface Content {
  readonly type: string;
  read(): Promise<string | Uint8Array>;
}

function contentsOf(platform: Platform): ReadonlyMap<string, Content> {
  const directory = import.meta.resolve('swagger-ui-dist/package.json');
  const files = Object.entries(FILES).map(([file, type]): [string, Content] => [
    `${DOCS_PATH}/${file}`,
    { type, read: () => readFile(new URL(file, directory)) },
  ]);
  return new Map<string, Content>([
    [DOCS_PATH, { type: 'text/html; charset=utf-8', read: async () => PAGE }],
    [`${DOCS_PATH}/start.js`, { type: 'text/javascript; charset=utf-8', read: async () => START }],
    [`${DOCS_PATH}/openapi.json`, { type: 'application/json; charset=utf-8', read: () => documentOf(platform) }],
    ...files,
  ]);
}

async function documentOf(platform: Platform): Promise<string> {
  const { openApiDocument } = await import('@artist-watch/contracts/openapi/document');
  return JSON.stringify(openApiDocument(platform, true));
}

function pathOf(url: string | undefined): string {
  return pathAndQueryOf(url).split('?', 1)[0] as string;
}

async function partOf(type: string, content: string | Uint8Array) {
  const bytes = Buffer.from(content);
  const gzipped = await promisify(gzip)(bytes, { level: 9 });
  return { type, plain: { bytes, tag: entityTag(bytes) }, gzipped: { bytes: gzipped, tag: entityTag(gzipped) } };
}

/** RFC 9110 section 12.5.3. */
function takesGzip(acceptEncoding: string | string[] = ''): boolean {
  return String(acceptEncoding)
    .split(',')
    .some((text) => /^\s*gzip\s*(?:;\s*q\s*=\s*(?:0\.0*[1-9]\d*|1(?:\.0*)?)\s*)?$/i.test(text));
}

const { listEgressAddresses } = EGRESS_OPERATIONS;
const EGRESS_PATH = `${BASE_PATH}${listEgressAddresses.path}`;

/**
 * An hour is fine, because customers use this list to configure firewalls, and new addresses are announced in advance.
 */
const EGRESS_CACHE_CONTROL = 'public, max-age=3600';

/** Serves `GET /v1/egress`. Doesn't require an API key, because firewalls read it too. */
export function createEgressPage(addresses: readonly Cidr[]): PublicPage {
  const parseQuery = queryParser(listEgressAddresses);
  const answer = jsonAnswer(200, { addresses: addresses.map(cidrText) }, { 'Cache-Control': EGRESS_CACHE_CONTROL });
  return {
    isMeant: (url) => pathOf(url) === EGRESS_PATH,
    answer(context, { method, url = '' }) {
      context.route = EGRESS_PATH;
      try {
        if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, ALLOW);
        parseQuery(url);
        context.send(answer);
      } catch (error) {
        context.fail(error);
      }
    },
  };
}

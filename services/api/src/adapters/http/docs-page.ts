import type { IncomingMessage, ServerResponse } from 'node:http';
import { openApiDocument } from '@artist-watch/contracts/openapi/document';
import express, { type Request, type Response } from 'express';
import swaggerUi from 'swagger-ui-express';
import { ApiError } from '../../application/api-error.js';
import type { Exchange } from './exchange.js';

const PATH = '/docs';
const ALLOW = 'GET, HEAD';

/** The page and its parts come from here alone; what it tries out goes to this API. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** It has the mark of the page's maker, and a field for the address of some other document. */
const WITHOUT_TOP_BAR = '.swagger-ui .topbar { display: none }';

/** Is it the documentation that is asked for? It is open to everybody: a browser has no key to send. */
export function isDocsPath(url = ''): boolean {
  // A target in absolute form is the same as one without (RFC 9112 section 3.2.2).
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  return target.startsWith(PATH) && /^(?:[/?#]|$)/.test(target.slice(PATH.length));
}

/** `/docs`, the page; `/docs/openapi.json`, what it shows; and its parts, all from this process. */
export function createDocsPage(): (exchange: Exchange, request: IncomingMessage, response: ServerResponse) => void {
  const document = JSON.stringify(openApiDocument());
  const options = { swaggerUrl: 'docs/openapi.json', swaggerOptions: { validatorUrl: null } };
  const page = swaggerUi
    .generateHTML(undefined, { ...options, customSiteTitle: 'Artist Watch API', customCss: WITHOUT_TOP_BAR })
    // Relative to the page, which has no slash at its end.
    .replaceAll('"./', '"docs/');
  const parts = new Set([...page.matchAll(/(?:src|href)="docs(\/[^"]+)"/g)].map((match) => match[1]));

  const app = express();
  app.disable('x-powered-by');
  app.enable('strict routing');
  app.get(PATH, (_request, response) => {
    response.type('html').send(page);
  });
  app.get(`${PATH}/openapi.json`, (_request, response) => {
    response.type('json').send(document);
  });
  // The package brings more than the page has, such as a page of its own with somebody else's API.
  app.use(PATH, (request, _response, next) => next(parts.has(request.path) ? undefined : 'router'));
  app.use(PATH, ...swaggerUi.serveFiles(undefined, options));

  return (exchange, request, response) => {
    exchange.route = PATH;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      exchange.fail(
        new ApiError('method_not_allowed', 'The documentation can only be read.', { headers: { Allow: ALLOW } }),
      );
      return;
    }
    for (const [name, value] of Object.entries(exchange.headersOfAll())) response.setHeader(name, value);
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    app(request as Request, response as Response, (error?: unknown) => {
      if (response.headersSent) return;
      // What was said of the file is not true of the error.
      for (const name of HEADERS_OF_A_FILE) response.removeHeader(name);
      exchange.fail(toApiError(error));
    });
  };
}

const HEADERS_OF_A_FILE = ['Accept-Ranges', 'Content-Range', 'ETag', 'Last-Modified'];

/** What express complains of by a status from 400 to 499 is the caller's doing, such as a range beyond the end. */
function toApiError(error: unknown): unknown {
  const { status } = (error ?? { status: 404 }) as { status?: unknown };
  if (status === 404) return new ApiError('not_found', 'There is nothing at this address.');
  if (typeof status !== 'number' || status < 400 || status > 499) return error;
  return new ApiError('invalid_input', 'The documentation cannot be read in this way.', {
    operatorText: `express: ${status}`,
  });
}

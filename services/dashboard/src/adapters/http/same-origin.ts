import type { RequestHandler } from 'express';

/**
 * Refuses requests for another host, and unsafe methods that another site has sent. Browsers say where a request comes
 * from by `Sec-Fetch-Site` (Fetch Metadata) or, the older ones and plain http, by `Origin`; a form of another site can
 * set neither.
 *
 * @param origin of DASHBOARD_URL
 */
export function sameOrigin(origin: string): RequestHandler {
  const { host } = new URL(origin);
  return (request, response, next) => {
    if (request.headers.host !== host) {
      response.status(421).type('text').send(`The dashboard is at ${origin}.\n`);
      return;
    }
    if (
      request.method === 'GET' ||
      request.method === 'HEAD' ||
      isSameOrigin(request.headers, origin) ||
      isProven(request.path)
    ) {
      next();
      return;
    }
    response.status(403).type('text').send('This request did not come from the dashboard. Go back and try again.\n');
  };
}

/** Providers of mail post there from no page (RFC 8058); the address itself holds the proof. */
function isProven(path: string): boolean {
  return path.startsWith('/unsubscribe/');
}

function isSameOrigin(headers: { readonly [name: string]: unknown }, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === origin : site === 'same-origin';
}

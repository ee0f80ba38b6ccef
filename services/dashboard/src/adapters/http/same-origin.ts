import type { IncomingHttpHeaders } from 'node:http';
import type { PageContext } from './page-context.js';

/**
 * Refuses requests for another host, and unsafe methods that another site has sent. Browsers say where a request comes
 * from by `Sec-Fetch-Site` (Fetch Metadata) or, the older ones and plain http, by `Origin`; a form of another site can
 * set neither.
 *
 * @returns whether it has answered.
 */
export function refuseOtherSites(context: PageContext): boolean {
  const { request, path, isRead, site } = context;
  if (request.headers.host !== site.host) {
    context.sendText(421, `The dashboard is at ${site.origin}.\n`);
    return true;
  }
  if (isRead || isSameOrigin(request.headers, site.origin) || isProven(path)) return false;
  context.sendText(403, 'This request did not come from the dashboard. Go back and try again.\n');
  return true;
}

/** Providers of mail post there from no page (RFC 8058); the address itself holds the proof. */
function isProven(path: string): boolean {
  return path.startsWith('/unsubscribe/');
}

function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === origin : site === 'same-origin';
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * The headers of every answer. They are always the same, so helmet is asked once.
 *
 * @param origin of DASHBOARD_URL
 */
export function securityHeaders(origin: string): Readonly<Record<string, string>> {
  // Nothing here is for search engines, shared pages least of all.
  const headers: Record<string, string> = { 'X-Robots-Tag': 'noindex, nofollow' };
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: origin.startsWith('https:'),
    // With `no-referrer` browsers send `Origin: null` with our own forms.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name] = value;
    },
    removeHeader: () => undefined,
  };
  protect({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}

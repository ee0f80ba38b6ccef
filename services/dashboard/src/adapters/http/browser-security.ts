import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { CookieName } from '../../application/page.js';

/**
 * The headers of every response. They never change, so helmet runs only once.
 *
 * @param origin of DASHBOARD_URL
 */
export function securityHeaders(origin: string): Readonly<Record<string, string>> {
  // Search engines must not index anything, especially shared changes.
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
    // With `no-referrer` browsers would send `Origin: null` with the dashboard's forms.
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

export interface CookieJar {
  /** The browser's value; undefined if it sent none, or several with this name. */
  read(request: IncomingMessage, name: CookieName): string | undefined;
  /** `Set-Cookie`; an undefined value deletes it. */
  write(name: CookieName, value: string | undefined, maxAgeSeconds: number): string;
}

const VALUE = /^[A-Za-z0-9._~-]{0,1000}$/;

/**
 * Over https the names begin with `__Host-`, which no other host and no plain connection can set (RFC 6265bis, section
 * 4.1.3.2). The local stack has no certificate, so over http the names are plain.
 */
export function cookieJar({ secure }: { readonly secure: boolean }): CookieJar {
  const nameOf = (name: CookieName) => (secure ? `__Host-${name}` : `aw-${name}`);
  return {
    read({ headers }, name) {
      const values = (headers.cookie ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${nameOf(name)}=`))
        .map((pair) => pair.slice(nameOf(name).length + 1));
      // With two cookies of one name, another site may have set one of them.
      return values.length === 1 && VALUE.test(values[0] as string) ? values[0] : undefined;
    },
    write(name, value, maxAgeSeconds) {
      const parts = [`${nameOf(name)}=${value ?? ''}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
      if (secure) parts.push('Secure');
      parts.push(`Max-Age=${value === undefined ? 0 : maxAgeSeconds}`);
      return parts.join('; ');
    },
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { CookieName } from '../../application/page.js';

/** @param origin the origin of DASHBOARD_URL */
export function securityHeaders(origin: string): Readonly<Record<string, string>> {
  // Keeps search engines from indexing any pages, especially shared changes.
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
    // With `no-referrer`, browsers would send `Origin: null` with the dashboard's forms.
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
  /** Returns undefined if the browser sent no cookie with this name, or more than one. */
  read(request: IncomingMessage, name: CookieName): string | undefined;
  /** An undefined value deletes the cookie. */
  write(name: CookieName, value: string | undefined, maxAgeSeconds: number): string;
}

const VALUE = /^[A-Za-z0-9._~-]{0,1000}$/;

/**
 * Cookies with the prefix `__Host-` can only be set by this host, and only over https (RFC 6265bis, section 4.1.3.2).
 * Over http, as in the local stack, the names don't have this prefix.
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
      // If there are two cookies with this name, one of them may have been set by another site.
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

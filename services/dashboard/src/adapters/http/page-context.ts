import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, HttpProblem } from '@artist-watch/http/answer/answer';
import { RequestContext, type RequestFields } from '@artist-watch/http/request-context';
import helmet from 'helmet';
import type { Browser, CookieName, Visit } from '../../application/page.js';

export interface Site {
  /** The origin of DASHBOARD_URL. */
  readonly origin: string;
  readonly host: string;
  readonly cookies: CookieJar;
  readonly clientAddressOf: (request: IncomingMessage) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly failure: (context: PageContext, problem: HttpProblem) => Answer;
}

export class PageContext extends RequestContext {
  /** Set once the request is known to come from a member. */
  visit: Visit | undefined;
  /** Set once the start of the document has been sent. */
  documentEnd: string | undefined;
  readonly path: string;
  readonly query: URLSearchParams;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    /** The time used for all decisions about this request. */
    readonly now: Date,
    readonly site: Site,
  ) {
    super(request, response);
    const [, path = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(request.url ?? '') ?? [];
    this.path = path;
    this.query = new URLSearchParams(query);
  }

  get isRead(): boolean {
    return this.request.method === 'GET' || this.request.method === 'HEAD';
  }

  override get logFields(): RequestFields {
    const clientAddress = this.site.clientAddressOf(this.request);
    // Some paths contain secret tokens, so only the route is logged.
    return { path: undefined, accountId: this.visit?.account.id, memberId: this.visit?.member.id, clientAddress };
  }

  /** Responses must not be cached, because their content depends on the member. */
  override headersOfAll(): Record<string, string | number> {
    return { 'X-Request-Id': this.requestId, 'Cache-Control': 'private, no-store', ...this.site.headers };
  }

  browser(): Browser {
    const { request, response, site } = this;
    const { cookies } = site;
    return {
      clientAddress: site.clientAddressOf(request),
      userAgent: request.headers['user-agent'] ?? '',
      cookie: (name) => cookies.read(request, name),
      setCookie: (name, value, maxAgeSeconds = 0) =>
        response.appendHeader('Set-Cookie', cookies.write(name, value, maxAgeSeconds)),
    };
  }

  sendText(status: number, body: string): void {
    this.send({ status, body, type: 'text/plain; charset=utf-8' });
  }

  protected override answerTo(problem: HttpProblem): Answer {
    return this.site.failure(this, problem);
  }
}

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

interface CookieJar {
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

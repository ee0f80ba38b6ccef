import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, HttpProblem } from '@artist-watch/http/answer/answer';
import { RequestContext, type RequestFields } from '@artist-watch/http/request-context';
import type { Browser, Visit } from '../../application/page.js';
import type { CookieJar } from './browser-security.js';

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

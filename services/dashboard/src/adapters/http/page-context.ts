import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '@artist-watch/http/answer/answer';
import type { HttpProblem } from '@artist-watch/http/answer/problem';
import { RequestContext } from '@artist-watch/http/request-context';
import type { Browser, Visit } from '../../application/page.js';
import type { CookieJar } from './browser-security.js';

/** What all requests of the dashboard have in common. */
export interface Site {
  /** Of DASHBOARD_URL. */
  readonly origin: string;
  readonly host: string;
  readonly cookies: CookieJar;
  readonly clientAddressOf: (request: IncomingMessage) => string;
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The page that says what went wrong. */
  readonly failure: (context: PageContext, problem: HttpProblem) => Answer;
}

/** One request of the dashboard and its answer. */
export class PageContext extends RequestContext {
  /** Of a member, once that is known. */
  visit: Visit | undefined;
  /** What ends the document, once its beginning has been sent. */
  documentEnd: string | undefined;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    /** The instant that everything in this request is decided by. */
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

  override get accountId(): string | undefined {
    return this.visit?.account.id;
  }

  override get logFields(): Readonly<Record<string, unknown>> {
    const clientAddress = this.site.clientAddressOf(this.request);
    // Addresses hold proofs: of sign-in, of what is shared, of who wants no more mails. The route says enough.
    return { path: undefined, memberId: this.visit?.member.id, clientAddress };
  }

  /** Fragments and pages of one member never answer another one. */
  override headersOfAll(): Record<string, string | number> {
    return { 'X-Request-Id': this.requestId, 'Cache-Control': 'private, no-store', ...this.site.headers };
  }

  /** Who sent the request. */
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

  /** Errors are pages too. */
  protected override answerTo(problem: HttpProblem): Answer {
    return this.site.failure(this, problem);
  }
}

import { includesRole } from '@artist-watch/domain/account/actor';
import { NotFound } from '@artist-watch/domain/refusals';
import { isDatabaseAway, isLockTimeout } from '@artist-watch/persistence/database/database-trouble';
import type { Clock } from '@artist-watch/runtime/clock';
import { GateFull } from '@artist-watch/runtime/gate';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import type { Guest, GuestPage } from '../../application/guest.js';
import type { Browser, Page, Visit } from '../../application/page.js';
import type { Answers, FailureStatus } from './answer.js';
import type { Assets } from './assets.js';
import type { CookieJar } from './cookies.js';
import type { RequestRecord } from './request-record.js';
import { sameOrigin } from './same-origin.js';
import type { Visits } from './visits.js';

export interface AppOptions {
  /** Of DASHBOARD_URL. */
  readonly origin: string;
  readonly trustedProxies: readonly string[];
  readonly clock: Clock;
  readonly assets: Assets;
  readonly answers: Answers;
  readonly cookies: CookieJar;
  readonly visits: Visits;
  readonly record: RequestRecord;
  readonly guestPages: readonly GuestPage[];
  readonly pages: readonly Page[];
}

/** Up to 500 pasted links. */
const MAX_FORM_BYTES = 256 * 1024;

/** The express application: every page with its checks, in the order in which a request meets them. */
export function createApp(options: AppOptions): Express {
  const { origin, trustedProxies, assets, record, guestPages, pages } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', [...trustedProxies]);
  app.set('query parser', false);
  // Fragments and pages of one member never answer another one, and a 304 needs the whole page to be made all the same.
  app.set('etag', false);
  app.use(record.middleware);
  app.use(securityHeaders(origin));
  app.use((_request, response, next) => {
    // Nothing here is for search engines, shared pages least of all.
    response.setHeader('X-Robots-Tag', 'noindex, nofollow');
    next();
  });
  app.use(assets.serve);
  app.use(sameOrigin(origin));
  app.use(express.text({ type: 'application/x-www-form-urlencoded', limit: MAX_FORM_BYTES }));
  for (const page of guestPages) register(app, page, answerGuest(page, options));
  for (const page of pages) {
    register(app, { ...page, path: `/a/:account${page.path === '/' ? '' : page.path}` }, answerMember(page, options));
  }
  app.use((_request, response) => options.answers.sendFailure(response, 404));
  app.use(answerFailure(options));
  return app;
}

function register(app: Express, { method, path }: Pick<Page, 'method' | 'path'>, handler: RequestHandler): void {
  const named: RequestHandler = (request, response, next) => {
    response.locals.route = path;
    return handler(request, response, next);
  };
  if (method === 'GET') app.get(path, named);
  else app.post(path, named);
}

function answerGuest({ answer }: GuestPage, { clock, cookies, visits, answers }: AppOptions): RequestHandler {
  return async (request, response) => {
    const now = clock.now();
    const guest: Guest = {
      ...browserOf(request, response, cookies),
      now,
      params: request.params as Record<string, string>,
      query: new URL(request.originalUrl, 'http://host').searchParams,
      form: formOf(request),
      session: () => visits.session(request, now),
    };
    answers.send(response, await answer(guest), undefined);
  };
}

function answerMember(page: Page, { clock, cookies, visits, answers }: AppOptions): RequestHandler {
  const { role = 'member', needsFreshCode, answer } = page;
  return async (request, response) => {
    const opened = await visits.open(request, browserOf(request, response, cookies), formOf(request), clock.now());
    if (opened === 'signed-out') {
      toSignIn(request, response);
      return;
    }
    // A foreign account, a lower role and a missing page are answered alike, without a layout that would differ.
    if (!opened || !includesRole(opened.visit.member.role, role)) {
      answers.sendFailure(response, 404);
      return;
    }
    const { visit, session } = opened;
    response.locals.visit = visit;
    if (needsFreshCode && session.freshUntil <= visit.now) {
      answers.send(
        response,
        { kind: 'redirect', to: `/fresh-code?to=${encodeURIComponent(backTo(request, visit))}` },
        visit,
      );
      return;
    }
    answers.send(response, await answer(visit), visit);
  };
}

function browserOf(request: Request, response: Response, cookies: CookieJar): Browser {
  return {
    clientAddress: request.ip ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    cookie: (name) => cookies.read(request, name),
    setCookie: (name, value, maxAgeSeconds = 0) =>
      response.append('Set-Cookie', cookies.write(name, value, maxAgeSeconds)),
  };
}

/** htmx would put a sign-in form into a corner of the page; `HX-Redirect` takes the whole page there. */
function toSignIn(request: Request, response: Response): void {
  const to = `/sign-in?to=${encodeURIComponent(request.method === 'GET' ? request.originalUrl : '/')}`;
  if (request.headers['hx-request'] === undefined) response.redirect(303, to);
  else response.setHeader('HX-Redirect', to).status(204).end();
}

/** Where a fresh code leads back to: the page itself, or the one that had the form. */
function backTo(request: Request, visit: Visit): string {
  if (request.method === 'GET') return request.originalUrl;
  const referrer = URL.canParse(request.headers.referer ?? '') ? new URL(request.headers.referer as string) : undefined;
  return referrer?.pathname.startsWith(visit.link('/')) ? `${referrer.pathname}${referrer.search}` : visit.link('');
}

function formOf(request: Request): URLSearchParams {
  return new URLSearchParams(typeof request.body === 'string' ? request.body : '');
}

function answerFailure({ answers }: AppOptions): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    response.locals.fault = error;
    if (response.headersSent) {
      next(error);
      return;
    }
    const status = statusOf(error);
    // The layout is data that is at hand already; a database that is away is not asked again.
    answers.sendFailure(response, status, status === 404 ? undefined : (response.locals.visit as Visit | undefined));
  };
}

function statusOf(error: unknown): FailureStatus {
  if (error instanceof NotFound) return 404;
  if (error instanceof GateFull || isLockTimeout(error)) return 429;
  if (isDatabaseAway(error)) return 503;
  const { status, expose } = error as { status?: number; expose?: boolean };
  return expose && status !== undefined && status < 500 ? 400 : 500;
}

function securityHeaders(origin: string): RequestHandler {
  const isSecure = origin.startsWith('https:');
  return helmet({
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
    strictTransportSecurity: isSecure,
    // With `no-referrer` browsers send `Origin: null` with our own forms.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
}

import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { FreshCodeRequired, includesRole } from '@artist-watch/domain/account/actor';
import { NotFound } from '@artist-watch/domain/refusals';
import { bodyReader } from '@artist-watch/http/request/request-body';
import { refuseAmbiguous } from '@artist-watch/http/request/request-head';
import { answerByRouter, type RoutedResponse } from '@artist-watch/http/request-context';
import type { OnEnd } from '@artist-watch/http/request-record';
import type { Clock } from '@artist-watch/runtime/clock';
import { type Request, Router } from 'express';
import type { GuestPage, Page } from '../../application/page.js';
import { REPEAT, sentAgain } from '../../application/sign-in.js';
import type { Admission } from './admission.js';
import type { Answers } from './answer.js';
import type { Assets } from './assets.js';
import { PageContext, type Site } from './page-context.js';
import type { Visits } from './visits.js';

export interface ListenerOptions {
  readonly site: Site;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly assets: Assets;
  readonly answers: Answers;
  readonly admission: Admission;
  readonly visits: Visits;
  readonly guestPages: readonly GuestPage[];
  readonly pages: readonly Page[];
  readonly onEnd: OnEnd<PageContext>;
}

/**
 * Compressed bodies are rejected, because browsers don't send them, and decompressing just a few bytes can take
 * seconds.
 */
const readerOf = (kibibytes: number) =>
  bodyReader({ maxBytes: kibibytes * 1024, maxText: `${kibibytes} KiB`, inflate: false });

const BODIES = {
  guest: readerOf(4),
  kept: readerOf(32),
  member: readerOf(16),
  artists: readerOf(32),
  emailRules: readerOf(48),
  lines: readerOf(256),
};

/**
 * Size limits for forms that are saved while the user enters a fresh code or signs in. They are lower than those in
 * `BODIES`, because saving a form makes its field names longer.
 */
const MAX_KEPT_BYTES = { '/fresh-code': 24 * 1024, '/sign-in': 1536 };

/** The largest form has checkboxes for about 400 artists. */
const MAX_FIELDS = 1_000;

/** Serves files, rejects forms from other sites, and routes all other requests to pages. */
export function pageListener(options: ListenerOptions): RequestListener {
  const { site, clock, monotonicMs, assets, onEnd } = options;
  const route = pageRouter([
    ...options.guestPages.map((page) => ({ ...page, answer: answerGuest(page, options) })),
    ...options.pages.map((page) => ({
      method: page.method,
      path: `/a/:account${page.path === '/' ? '' : page.path}`,
      answer: answerMember(page, options),
    })),
  ]);

  function answer(context: PageContext): void {
    refuseAmbiguous(context.request);
    if (context.brokenBy) throw context.brokenBy;
    const file = context.isRead ? assets.find(context.path) : undefined;
    if (file) context.send(file);
    else if (!rejectOtherSites(context)) route(context);
  }

  return (request, response) => {
    const startedAtMs = monotonicMs();
    const context = new PageContext(request, response, clock.now(), site);
    response.once('close', () => onEnd(context, monotonicMs() - startedAtMs));
    try {
      answer(context);
    } catch (error) {
      context.fail(error);
    }
  };
}

type Answering = (context: PageContext, params: Readonly<Record<string, string>>) => Promise<void>;

interface RoutedPage {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: Answering;
}

/** A router compares paths one by one, so there is a separate router for each method and number of path segments. */
function pageRouter(pages: readonly RoutedPage[]): (context: PageContext) => void {
  const routers = new Map<string, Router>();
  for (const { method, path, answer } of pages) {
    const kind = kindOf(method, path);
    const router = routers.get(kind) ?? Router();
    routers.set(kind, router);
    router.all(path, (request: Request, response: RoutedResponse<PageContext>) => {
      const { context } = response.locals;
      context.route = path;
      return answer(context, request.params as Record<string, string>);
    });
  }
  return (context) => {
    const { request, path, isRead } = context;
    const router = routers.get(kindOf(isRead ? 'GET' : request.method, path));
    // PostgreSQL cannot store NUL in text.
    if (router && !path.includes('%00')) answerByRouter(router, context);
    else context.fail(new NotFound('page'));
  };
}

function kindOf(method: string | undefined, path: string): string {
  return `${method} ${path.split('/').filter((segment) => segment !== '').length}`;
}

function answerGuest({ answer }: GuestPage, { admission, visits, answers }: ListenerOptions): Answering {
  return async (context, params) => {
    await admission.admit(context, true);
    const { now, query } = context;
    const session = () => visits.session(context);
    const isKept = query.has(REPEAT) && (await session()) !== undefined;
    const form = await formOf(context, isKept ? BODIES.kept : BODIES.guest);
    await admission.runPublic(context, async () =>
      answers.send(context, await answer({ ...context.browser(), now, params, query, form, session })),
    );
  };
}

function answerMember(page: Page, { admission, visits, answers, pages }: ListenerOptions): Answering {
  const { role = 'owner', needsFreshCode, body, answer } = page;
  return async (context, { account, ...params }) => {
    await admission.admit(context, false);
    const opened = await visits.open(context, account as string, params);
    if (opened === 'signed-out') {
      redirectTo(context, '/sign-in', returnPath(context, page, pages));
      return;
    }
    // The response must be the same whether the page doesn't exist, belongs to another account or requires a higher
    // role.
    if (!opened || !includesRole(opened.member.role, role)) throw new NotFound('page');
    await admission.admitMember(context, opened.account.id);
    // Fragments, and responses to forms and HEAD requests, are sent only once they are complete.
    const isWhole = context.request.method === 'GET' && opened.fragment === undefined;
    const begin = async (title: string) => {
      if (!isWhole) return;
      answers.begin(context, title);
      // Lets the socket send the beginning of the page before the queries run.
      await setImmediate();
    };
    const visit = { ...opened, begin, form: new URLSearchParams() };
    context.visit = visit;
    try {
      if (needsFreshCode && !visit.hasFreshCode) throw new FreshCodeRequired();
      const form = sentAgain(await formOf(context, BODIES[body]));
      await answers.send(context, await answer({ ...visit, form }));
    } catch (error) {
      if (!(error instanceof FreshCodeRequired)) throw error;
      redirectTo(context, '/fresh-code', returnPath(context, page, pages));
    }
  };
}

/**
 * htmx would insert the sign-in page into part of the current page, so `HX-Redirect` makes it load a full page instead.
 * Requests that submit a form through htmx stay on the current page, so that nothing typed there is lost. Other forms
 * get a 307 if they are small enough, so that the browser sends them to the sign-in page, which saves them.
 */
function redirectTo(context: PageContext, page: '/sign-in' | '/fresh-code', back: string): void {
  const { isRead, path } = context;
  const { 'hx-request': byHtmx, 'content-length': length = '0' } = context.request.headers;
  const to = `${page}?to=${encodeURIComponent(back)}${isRead ? '' : '&undone'}`;
  const isKept = !isRead && Number(length) > 0 && Number(length) <= MAX_KEPT_BYTES[page];
  if (byHtmx) context.send({ status: 204, body: undefined, headers: isRead ? { 'HX-Redirect': to } : {} });
  else if (isKept)
    context.send({ status: 307, body: '', headers: { Location: `${to}&${REPEAT}=${encodeURIComponent(path)}` } });
  else context.send({ status: 303, body: '', headers: { Location: to } });
}

/** Returns the path to open after signing in. For a form, this is the closest page above the form's path. */
function returnPath({ request, isRead, path }: PageContext, page: Page, pages: readonly Page[]): string {
  if (isRead) return request.url ?? '/';
  const above = (address: string) => address.slice(0, address.lastIndexOf('/'));
  for (let [of, to] = [page.path, path]; of !== ''; [of, to] = [above(of), above(to)]) {
    if (pages.some((other) => other.method === 'GET' && other.path === of)) return to;
  }
  return '/';
}

/**
 * Returns the form's fields, or none if the body is not a form. Removes NUL, because PostgreSQL cannot store it.
 */
async function formOf(
  { request, response, isRead }: PageContext,
  bodyOf: (typeof BODIES)[keyof typeof BODIES],
): Promise<URLSearchParams> {
  if (isRead) return new URLSearchParams();
  const { mediaType, readBytes } = bodyOf(request, response);
  if (mediaType !== 'application/x-www-form-urlencoded') return new URLSearchParams();
  const text = Buffer.from(await readBytes()).toString();
  // Count the fields before parsing, so that rejecting a form with too many fields is cheap.
  if (fieldsOf(text) > MAX_FIELDS)
    throw new ApiError('payload_too_large', `A form can have at most ${MAX_FIELDS} fields.`);
  const form = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(text)) {
    form.append(name.replaceAll('\0', ''), value.replaceAll('\0', ''));
  }
  return form;
}

function fieldsOf(text: string): number {
  let fields = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) fields += 1;
  return fields;
}

/**
 * Rejects requests for other hosts and forms from other sites. Browsers report where a form came from in
 * `Sec-Fetch-Site` (Fetch Metadata) or, if they are old or use http, in `Origin`.
 *
 * @returns true if the request was rejected
 */
function rejectOtherSites(context: PageContext): boolean {
  const { request, path, isRead, site } = context;
  if (request.headers.host !== site.host) {
    context.sendText(421, `The dashboard is at ${site.origin}.\n`);
    return true;
  }
  if (isRead || isSameOrigin(request.headers, site.origin) || isProven(path)) return false;
  context.sendText(403, 'This request did not come from the dashboard. Go back and try again.\n');
  return true;
}

/**
 * Unsubscribe links are authorized by a token in the URL. Email providers post to them without opening a page first
 * (RFC 8058).
 */
function isProven(path: string): boolean {
  return path.startsWith('/unsubscribe/');
}

function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === origin : site === 'same-origin';
}

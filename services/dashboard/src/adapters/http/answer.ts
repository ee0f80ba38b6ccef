import { type ApiErrorCode, statusOf } from '@artist-watch/contracts/api/errors';
import { PLATFORM_NAMES, type Platform } from '@artist-watch/domain/catalogue';
import type { Answer, HttpProblem } from '@artist-watch/http/answer/answer';
import type { VNode } from 'preact';
import type { Reply, Visit } from '../../application/page.js';
import { type Frame, failureView, layout } from '../../views/layout.js';
import { markup, type Reader, renderFor } from '../../views/markup.js';
import type { Assets } from './assets.js';
import type { PageContext } from './page-context.js';

const NOTICE_SECONDS = 60;
const HTML = 'text/html; charset=utf-8';
const BODY = '[body]';

export class Answers {
  readonly #assets: Assets['addresses'];
  readonly #platformName: string;
  readonly #upgradeUrl: string | undefined;

  constructor(assets: Assets, platform: Platform, upgradeUrl: string | undefined) {
    this.#assets = assets.addresses;
    this.#upgradeUrl = upgradeUrl;
    this.#platformName = PLATFORM_NAMES[platform];
  }

  async send(context: PageContext, reply: Reply): Promise<void> {
    const { visit } = context;
    switch (reply.kind) {
      case 'page':
        context.send(this.#page(context, reply.status ?? 200, { title: reply.title, body: reply.body, visit }));
        return;
      case 'fragment': {
        const fragment = renderFor(this.#reader(visit), () => markup(reply.body));
        context.send(htmlAnswer(reply.status ?? 200, fragment));
        return;
      }
      case 'redirect': {
        if (reply.notice !== undefined) notify(context, reply.notice);
        // Redirects always go to a path, so they never lead away from the dashboard.
        const Location = visit ? visit.link(reply.to) : reply.to;
        context.send({ status: 303, body: '', headers: { Location } });
        return;
      }
      case 'repeat':
        context.send({ status: 307, body: '', headers: { Location: reply.to } });
        return;
      case 'file': {
        const { type, body, fileName, cacheControl = 'private, no-cache' } = reply;
        const headers = { 'Cache-Control': cacheControl, ...(fileName !== undefined && downloadedAs(fileName)) };
        context.send({ status: 200, type, body, headers });
        return;
      }
      case 'stream':
        await context.stream({ ...reply, headers: downloadedAs(reply.fileName) });
    }
  }

  /** Renders an error page. Members see it inside their account's layout. */
  failure(context: PageContext, problem: HttpProblem): Answer {
    const { title, sentences } = failureOf(problem);
    // Missing pages must look the same as other accounts' pages, so a 404 never uses the account's layout.
    const visit = problem.code === 'not_found' ? undefined : context.visit;
    const body = failureView({ title, sentences });
    return { ...this.#page(context, statusOf(problem.code), { title, body, visit }), headers: problem.headers };
  }

  #reader(visit: Visit | undefined): Reader {
    const { zone = 'UTC', now } = visit ?? {};
    return { zone, now, icons: this.#assets.icons, platformName: this.#platformName, upgradeUrl: this.#upgradeUrl };
  }

  /** Sends the document up to the body, so that the browser can load styles and scripts while the queries run. */
  begin(context: PageContext, title: string): void {
    // If the request has failed, its error page has already been sent.
    if (context.response.headersSent) return;
    const { before, after } = this.#document(context, title, context.visit);
    context.documentEnd = after;
    context.begin(HTML, before);
  }

  #page(context: PageContext, status: number, content: { title: string; body: VNode; visit: Visit | undefined }) {
    const { title, body, visit } = content;
    const { before, after } =
      context.documentEnd === undefined
        ? this.#document(context, title, visit)
        : { before: '', after: context.documentEnd };
    return htmlAnswer(status, before + renderFor(this.#reader(visit), () => markup(body)) + after);
  }

  #document(context: PageContext, title: string, visit: Visit | undefined) {
    const { cookie, setCookie } = context.browser();
    const notice = cookie('notice');
    if (notice !== undefined) setCookie('notice', undefined);
    const frame: Frame = {
      title,
      assets: this.#assets,
      notice: notice === undefined ? undefined : Buffer.from(notice, 'base64url').toString('utf8'),
      visit: visit && { ...visit, path: context.path },
    };
    const html = renderFor(this.#reader(visit), () => markup(layout(frame, BODY)));
    // The notice may contain the placeholder too, so use the last occurrence.
    const at = html.lastIndexOf(BODY);
    return { before: `<!doctype html>${html.slice(0, at)}`, after: html.slice(at + BODY.length) };
  }
}

/** Makes the next full page show the notice once. */
function notify(context: PageContext, notice: string): void {
  const value = Buffer.from(notice).toString('base64url').slice(0, 400);
  context.browser().setCookie('notice', value, NOTICE_SECONDS);
}

/** @param fileName must be a token (RFC 9110), so that it doesn't need quotes */
function downloadedAs(fileName: string): Readonly<Record<string, string>> {
  return { 'Content-Disposition': `attachment; filename=${fileName}` };
}

interface FailureText {
  readonly title: string;
  readonly sentences: readonly string[];
}

const FAILURES: Readonly<Partial<Record<ApiErrorCode, FailureText>>> = {
  not_found: {
    title: 'Page not found',
    sentences: ["It doesn't exist, was deleted, is only for owners, or is in an account that you don't belong to."],
  },
  service_unavailable: {
    title: 'Artist Watch is briefly unavailable',
    sentences: ['Nothing is lost. Reload this page in a few seconds.'],
  },
  internal_error: {
    title: 'Something went wrong',
    sentences: ['This is our fault, and we have logged it. Everything that you saved is safe.'],
  },
};

function failureOf({ code, message, fault }: HttpProblem): FailureText {
  // If there is a `fault`, the database is unavailable. If not, too many requests were running.
  if (code === 'service_unavailable' && fault === undefined)
    return { title: 'Too many requests', sentences: [message] };
  return FAILURES[code] ?? { title: 'This request was rejected', sentences: [message] };
}

function htmlAnswer(status: number, body: string): Answer {
  return { status, type: HTML, body };
}

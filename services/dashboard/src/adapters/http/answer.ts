import { type ApiErrorCode, statusOf } from '@artist-watch/contracts/api/errors';
import type { Answer } from '@artist-watch/http/answer/answer';
import type { HttpProblem } from '@artist-watch/http/answer/problem';
import type { VNode } from 'preact';
import type { Reply, Visit } from '../../application/page.js';
import { type Frame, failureView, layout } from '../../views/layout.js';
import { markup, type Reader, renderFor } from '../../views/markup.js';
import type { Assets } from './assets.js';
import type { PageContext } from './page-context.js';

const NOTICE_SECONDS = 60;
const HTML = 'text/html; charset=utf-8';
/** Stands in the layout where the body will. */
const BODY = '[body]';

/** Writes what pages answer with. */
export class Answers {
  readonly #assets: Assets['addresses'];

  constructor(assets: Assets) {
    this.#assets = assets.addresses;
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
        // Only paths come here: a redirect never leaves the dashboard.
        const Location = visit ? visit.link(reply.to) : reply.to;
        context.send({ status: 303, body: '', headers: { Location } });
        return;
      }
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

  /** A page that says what went wrong, with the layout of the account where there is one. */
  failure(context: PageContext, problem: HttpProblem): Answer {
    const { title, sentences } = failureOf(problem);
    // All that is missing is missing alike. The layout is data that is at hand: a database that is away is not asked again.
    const visit = problem.code === 'not_found' ? undefined : context.visit;
    const body = failureView({ title, sentences });
    return { ...this.#page(context, statusOf(problem.code), { title, body, visit }), headers: problem.headers };
  }

  #reader(visit: Visit | undefined): Reader {
    const { zone = 'UTC', now } = visit ?? {};
    return { zone, now, icons: this.#assets.icons };
  }

  /** Sends what stands before the body of a page, so that browsers load styles and scripts while it is read. */
  begin(context: PageContext, title: string): void {
    // Something has failed meanwhile, and the page says so.
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

  /** The document around a body. */
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
    // The last one: a notice may say whatever it likes.
    const at = html.lastIndexOf(BODY);
    return { before: `<!doctype html>${html.slice(0, at)}`, after: html.slice(at + BODY.length) };
  }
}

/** Shown once, by the next whole page. */
function notify(context: PageContext, notice: string): void {
  const value = Buffer.from(notice).toString('base64url').slice(0, 400);
  context.browser().setCookie('notice', value, NOTICE_SECONDS);
}

/** @param fileName a token of RFC 9110, which needs no quotes. */
function downloadedAs(fileName: string): Readonly<Record<string, string>> {
  return { 'Content-Disposition': `attachment; filename=${fileName}` };
}

interface FailureText {
  readonly title: string;
  readonly sentences: readonly string[];
}

const FAILURES: Readonly<Partial<Record<ApiErrorCode, FailureText>>> = {
  not_found: {
    title: 'There is no such page',
    sentences: ['It does not exist, was deleted, or belongs to an account in which you have no seat.'],
  },
  service_unavailable: {
    title: 'Our database cannot be reached',
    sentences: [
      'Nothing is lost: artists are read again, and deliveries go on, as soon as it answers.',
      'Reload this page in a few seconds.',
    ],
  },
  internal_error: {
    title: 'Something broke',
    sentences: ['That is our fault. It has been recorded, and nothing that was saved is lost.'],
  },
};

function failureOf({ code, message, fault }: HttpProblem): FailureText {
  // Too many requests at once are no fault.
  if (code === 'service_unavailable' && fault === undefined) return { title: 'Too many at once', sentences: [message] };
  return FAILURES[code] ?? { title: 'This cannot be answered', sentences: [message] };
}

function htmlAnswer(status: number, body: string): Answer {
  return { status, type: HTML, body };
}

import { entityTag } from '@artist-watch/http/answer/entity-tag';
import { streamBody } from '@artist-watch/http/answer/stream-body';
import type { Response } from 'express';
import { h, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { Reply, Visit } from '../../application/page.js';
import { failureView } from '../../views/failure.js';
import { type Frame, layout } from '../../views/layout.js';
import { type Reader, ReaderContext } from '../../views/reader.js';
import type { Assets } from './assets.js';
import type { CookieJar } from './cookies.js';

const NOTICE_SECONDS = 60;

/** Writes what pages answer with. */
export class Answers {
  readonly #assets: Assets['addresses'];
  readonly #cookies: CookieJar;

  constructor(assets: Assets, cookies: CookieJar) {
    this.#assets = assets.addresses;
    this.#cookies = cookies;
  }

  send(response: Response, reply: Reply, visit: Visit | undefined): void {
    switch (reply.kind) {
      case 'page':
        this.#sendPage(response, reply.status ?? 200, { title: reply.title, body: reply.body, visit });
        return;
      case 'fragment':
        sendHtml(
          response,
          reply.status ?? 200,
          render(h(ReaderContext.Provider, { value: this.#reader(visit) }, reply.body)),
        );
        return;
      case 'redirect':
        if (reply.notice !== undefined) this.notify(response, reply.notice);
        // Only paths come here: a redirect never leaves the dashboard.
        response.redirect(303, visit ? visit.link(reply.to) : reply.to);
        return;
      case 'file': {
        response.setHeader('Cache-Control', reply.cacheControl ?? 'private, no-cache');
        if (reply.fileName !== undefined) response.attachment(reply.fileName);
        const body = Buffer.from(reply.body as string);
        // With it express answers 304 to whoever has these bytes.
        response.setHeader('ETag', entityTag(body));
        response.setHeader('Content-Type', reply.type);
        response.send(body);
        return;
      }
      case 'stream':
        sendStream(response, reply);
    }
  }

  /** A page that says what went wrong, with the layout of the account where there is one. */
  sendFailure(response: Response, status: FailureStatus, visit?: Visit): void {
    const { title, sentences, retryAfterSeconds } = FAILURES[status];
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
    this.#sendPage(response, status, { title, body: failureView({ title, sentences }), visit });
  }

  /** Shown once, by the next whole page. */
  notify(response: Response, notice: string): void {
    const value = Buffer.from(notice).toString('base64url').slice(0, 400);
    response.append('Set-Cookie', this.#cookies.write('notice', value, NOTICE_SECONDS));
  }

  #reader(visit: Visit | undefined): Reader {
    const { zone = 'UTC', locale = 'en-GB', now } = visit ?? {};
    return { zone, locale, now, icons: this.#assets.icons };
  }

  #sendPage(
    response: Response,
    status: number,
    content: { title: string; body: VNode; visit: Visit | undefined },
  ): void {
    const notice = this.#cookies.read(response.req, 'notice');
    if (notice !== undefined) response.append('Set-Cookie', this.#cookies.write('notice', undefined, 0));
    const frame: Frame = {
      title: content.title,
      assets: this.#assets,
      reader: this.#reader(content.visit),
      notice: notice === undefined ? undefined : Buffer.from(notice, 'base64url').toString('utf8'),
      visit: content.visit && {
        account: content.visit.account,
        member: content.visit.member,
        link: content.visit.link,
        path: response.req.path,
      },
    };
    sendHtml(response, status, `<!doctype html>${render(layout(frame, content.body))}`);
  }
}

export type FailureStatus = 400 | 404 | 429 | 500 | 503;

interface FailureText {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly retryAfterSeconds?: number;
}

const FAILURES: Readonly<Record<FailureStatus, FailureText>> = {
  400: { title: 'This cannot be read', sentences: ['The request is not a form of this page. Go back and try again.'] },
  404: {
    title: 'There is no such page',
    sentences: ['It does not exist, was deleted, or belongs to an account in which you have no seat.'],
  },
  429: {
    title: 'Too many at once',
    sentences: ['Many requests for this account are being processed. Try again in a few seconds.'],
    retryAfterSeconds: 5,
  },
  500: {
    title: 'Something broke',
    sentences: ['That is our fault. It has been recorded, and nothing that was saved is lost.'],
  },
  503: {
    title: 'The record cannot be reached',
    sentences: [
      'Our database does not answer at the moment. Nothing is lost: artists are read again, and deliveries go on as soon as it is back.',
      'Reload this page in a few seconds.',
    ],
    retryAfterSeconds: 5,
  },
};

function sendStream(response: Response, { type, fileName, chunks }: Extract<Reply, { kind: 'stream' }>): void {
  response.setHeader('Cache-Control', 'private, no-store');
  response.attachment(fileName).setHeader('Content-Type', type);
  const isHead = response.req.method === 'HEAD';
  const sent = isHead ? chunks.return(undefined).then(() => response.end()) : streamBody(response, chunks);
  sent.catch((error: unknown) => {
    response.locals.cutBy = error;
  });
}

/**
 * Characters that turn the direction of what follows: with them a name makes the sentence around it read backwards
 * (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing). Scripts from right to left need none of them.
 */
const DIRECTION_CHANGES = /[\u202a-\u202e\u2066-\u2069]/g;

function sendHtml(response: Response, status: number, page: string): void {
  const html = page.replaceAll(DIRECTION_CHANGES, '');
  response.setHeader('Cache-Control', 'private, no-store');
  response.status(status).type('html').send(html);
}

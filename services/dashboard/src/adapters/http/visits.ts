import { createHash } from 'node:crypto';
import type { AccountId } from '@artist-watch/domain/ids';
import type { Seat, SessionRecord, SessionStore } from '@artist-watch/persistence/sign-in/sessions';
import type { Request } from 'express';
import type { Browser, Visit } from '../../application/page.js';
import type { CookieJar } from './cookies.js';

/** Often enough for the list of sessions, and seldom enough to write little. */
const TOUCH_EVERY_MS = 5 * 60_000;

const LOCALE = 'en-GB';

export interface VisitsOptions {
  readonly sessions: SessionStore;
  readonly cookies: CookieJar;
  readonly onTouchFailed: (error: unknown) => void;
}

/** Whose request it is, by the session cookie. */
export class Visits {
  readonly #options: VisitsOptions;

  constructor(options: VisitsOptions) {
    this.#options = options;
  }

  async session(request: Request, now: Date): Promise<SessionRecord | undefined> {
    return (await this.#find(request, undefined, now))?.session;
  }

  /** `signed-out`, or the visit; undefined when the session has no seat in this account. */
  async open(
    request: Request,
    browser: Browser,
    form: URLSearchParams,
    now: Date,
  ): Promise<OpenedVisit | 'signed-out' | undefined> {
    const accountId = request.params.account as AccountId;
    const found = await this.#find(request, accountId, now);
    if (!found) return 'signed-out';
    if (!found.seat) return undefined;
    return { session: found.session, visit: { ...visitOf(request, form, now, found.session, found.seat), ...browser } };
  }

  async #find(request: Request, accountId: AccountId | undefined, now: Date) {
    const { sessions, cookies, onTouchFailed } = this.#options;
    const token = cookies.read(request, 'session');
    if (token === undefined) return undefined;
    const found = await sessions.find(createHash('sha256').update(token).digest(), accountId, now);
    if (found && now.getTime() - found.session.lastSeenAt.getTime() > TOUCH_EVERY_MS) {
      // The answer does not wait for it: it only keeps the session from ending unused.
      sessions.touch(found.session.id, now).catch(onTouchFailed);
    }
    return found;
  }
}

export interface OpenedVisit {
  readonly session: SessionRecord;
  readonly visit: Visit;
}

function visitOf(
  request: Request,
  form: URLSearchParams,
  now: Date,
  session: SessionRecord,
  seat: Seat,
): Omit<Visit, keyof Browser> {
  const { account: _account, ...params } = request.params as Record<string, string>;
  const base = `/a/${seat.accountId}`;
  return {
    account: { id: seat.accountId, name: seat.accountName, plan: seat.plan },
    member: { id: seat.memberId, email: session.email, role: seat.role },
    actor: { kind: 'member', id: seat.memberId, name: session.email },
    sessionId: session.id,
    zone: seat.zone,
    locale: LOCALE,
    now,
    params,
    query: new URL(request.originalUrl, 'http://host').searchParams,
    form,
    fragment: fragmentOf(request.headers['hx-target']),
    link: (path) => (path.startsWith('/') ? `${base}${path}` : base),
  };
}

/** htmx names its target by tag and id: `div#timeline`. */
function fragmentOf(target: string | string[] | undefined): string | undefined {
  return typeof target === 'string' ? /#([\w-]+)$/.exec(target)?.[1] : undefined;
}

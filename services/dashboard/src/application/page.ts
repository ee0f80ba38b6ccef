import { API_ERRORS, ApiError } from '@artist-watch/contracts/api/errors';
import type { Actor, MemberRole } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, MemberId, SessionId } from '@artist-watch/domain/ids';
import { NotFound, Refusal } from '@artist-watch/domain/refusals';
import type { VNode } from 'preact';

/** The cookies of the dashboard, without the prefix that they have over https. */
export type CookieName = 'session' | 'sign-in' | 'notice';

/** Who sent a request. */
export interface Browser {
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly cookie: (name: CookieName) => string | undefined;
  /** An undefined value deletes the cookie. */
  readonly setCookie: (name: CookieName, value: string | undefined, maxAgeSeconds?: number) => void;
}

interface AddressedPage extends Browser {
  readonly now: Date;
  /** The path's parameters, as `PageRoute.path` names them. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of a form; empty for GET. */
  readonly form: URLSearchParams;
}

/** A request outside of an account: from somebody who signs in, or who chooses an account. */
export interface Guest extends AddressedPage {
  /** Of the session cookie; undefined when nobody is signed in. One statement. */
  readonly session: () => Promise<{ readonly id: SessionId; readonly email: string } | undefined>;
}

/** A request of a member in one of its accounts: all that a page may decide on. */
export interface Visit extends AddressedPage {
  readonly account: { readonly id: AccountId; readonly name: string; readonly plan: PlanName };
  readonly member: { readonly id: MemberId; readonly email: string; readonly role: MemberRole };
  /** The member, as the audit records who did something. */
  readonly actor: Actor;
  readonly sessionId: SessionId;
  /** It signed in, or typed a fresh code, in the last 30 minutes. */
  readonly hasFreshCode: boolean;
  /** IANA time zone in which the member reads instants. */
  readonly zone: string;
  /** Of the artist that the path names, where the account watches it. */
  readonly artistName: string | undefined;
  /** The plan that the account has now; rejects when the session, or the seat, has ended. For long responses. */
  readonly planNow: () => Promise<PlanName>;
  /** The id of the element that htmx will replace; undefined when a whole page is asked for. */
  readonly fragment: string | undefined;
  /** `/a/ACCOUNT` and the path: every link of a page goes through it. */
  readonly link: (path: string) => string;
  /**
   * Sends what stands around a whole page of this title, while the rest of it is read. From then on the answer is 200, so it
   * is for pages whose status no longer depends on what is read.
   */
  readonly begin: (title: string) => Promise<void>;
}

/** What a page answers with. */
export type Reply =
  /** A whole page inside the layout. */
  | { readonly kind: 'page'; readonly title: string; readonly body: VNode; readonly status?: number }
  /** A part of a page that htmx puts in its place. */
  | { readonly kind: 'fragment'; readonly body: VNode; readonly status?: number }
  /** 303 to a path below the account, after a form was processed; the next page shows the notice once. */
  | { readonly kind: 'redirect'; readonly to: string; readonly notice?: string }
  /** A picture, an Atom feed. With a file name it is downloaded. */
  | {
      readonly kind: 'file';
      readonly type: string;
      readonly body: string | Uint8Array;
      readonly fileName?: string;
      readonly cacheControl?: string;
    }
  /** A file that is longer than memory: made while it is downloaded. */
  | {
      readonly kind: 'stream';
      readonly type: string;
      readonly fileName: string;
      readonly chunks: AsyncGenerator<Uint8Array>;
    };

interface Access {
  /** Who has a lower role is answered as if there were no such page. */
  readonly role?: MemberRole;
  /** Asks for a code by mail first, unless the member typed one in the last 30 minutes. */
  readonly needsFreshCode?: true;
}

/**
 * Who may ask for a page. Pages whose action always has an effect (packages/domain/src/account/effects.ts), and those that
 * delete destinations, revoke keys or remove members, ask for a code first.
 */
const ACCESS = {
  anybody: {},
  member: { role: 'member' },
  'member with code': { role: 'member', needsFreshCode: true },
  owner: { role: 'owner' },
  'owner with code': { role: 'owner', needsFreshCode: true },
} as const satisfies Record<string, Access>;

export type MemberAccess = Exclude<keyof typeof ACCESS, 'anybody'>;

/** Outside of an account nobody has a role, and within one everybody has. */
type AccessOf<Asker> = Asker extends Visit ? MemberAccess : 'anybody';

/** How long a form may be: 16 KiB, 32 KiB with a list of artists, 256 KiB with pasted lines. Guests' forms: 4 KiB. */
export type FormBody = 'member' | 'artists' | 'lines';

interface PageRoute<Asker> extends Access {
  readonly body: FormBody;
  readonly method: 'GET' | 'POST';
  /** As express writes it; a member's is below `/a/ACCOUNT`: `/changes/:change`. */
  readonly path: string;
  readonly answer: (asker: Asker) => Promise<Reply>;
}

export type Page = PageRoute<Visit>;

/** A page outside of an account. */
export type GuestPage = PageRoute<Guest>;

function routeOf(method: 'GET' | 'POST') {
  return <Asker>(
    path: string,
    access: AccessOf<Asker>,
    answer: PageRoute<Asker>['answer'],
    body: FormBody = 'member',
  ): PageRoute<Asker> => ({
    ...{ method, path, answer, body },
    ...ACCESS[access],
  });
}

export const get = routeOf('GET');
export const post = routeOf('POST');

/** 400 where a filter or a form has something that cannot be read. @param errors what is wrong, by field */
export function statusOf(errors: object): 200 | 400 {
  return Object.keys(errors).length > 0 ? 400 : 200;
}

/** A whole page. */
export function page(title: string, body: VNode, status = 200): Reply {
  return { kind: 'page', title, body, status };
}

/** After a form: the browser goes there with GET, so that a reload repeats nothing. */
export function redirect(to: string, notice?: string): Reply {
  return notice === undefined ? { kind: 'redirect', to } : { kind: 'redirect', to, notice };
}

/** What was read; undefined where the account has no such thing. */
export function ifFound<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

/** What a page says beside what it is: why something was not done. */
export interface PageProblem {
  readonly text: string;
  readonly status: number;
}

/**
 * Does what a form asks for. What the state or the plan does not allow, or was asked for too often, is said on the page that
 * is shown instead; anything else is thrown on.
 */
export async function orShow(
  visit: Visit,
  show: (visit: Visit, problem: PageProblem) => Promise<Reply>,
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ApiError) || error instanceof NotFound) throw error;
    return show(visit, { text: error.message, status: API_ERRORS[error.code].status });
  }
}

import { API_ERRORS, ApiError } from '@artist-watch/contracts/api/errors';
import type { Actor, MemberRole } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, MemberId, SessionId } from '@artist-watch/domain/ids';
import { NotFound, Refusal } from '@artist-watch/domain/refusals';
import type { VNode } from 'preact';

/** The dashboard's cookies, without the prefix that they have over https. */
export type CookieName = 'session' | 'sign-in' | 'notice';

/** The sender of a request. */
export interface Browser {
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly cookie: (name: CookieName) => string | undefined;
  /** An undefined value deletes the cookie. */
  readonly setCookie: (name: CookieName, value: string | undefined, maxAgeSeconds?: number) => void;
}

interface AddressedPage extends Browser {
  readonly now: Date;
  /** The path's parameters, with the names of `PageRoute.path`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of a form; empty for GET. */
  readonly form: URLSearchParams;
}

/** A request outside an account: for signing in, or for choosing an account. */
export interface Guest extends AddressedPage {
  /** The session of the cookie; undefined without a valid session. One statement. */
  readonly session: () => Promise<{ readonly id: SessionId; readonly email: string } | undefined>;
}

/** A member's request in one of its accounts: everything that a page may decide on. */
export interface Visit extends AddressedPage {
  readonly account: { readonly id: AccountId; readonly name: string; readonly plan: PlanName };
  readonly member: { readonly id: MemberId; readonly email: string; readonly role: MemberRole };
  /** The member as the actor in the audit. */
  readonly actor: Actor;
  readonly sessionId: SessionId;
  /** Whether the session signed in, or entered a fresh code, in the last 30 minutes. */
  readonly hasFreshCode: boolean;
  /** The member's IANA time zone. */
  readonly zone: string;
  /** Name of the path's artist, if the account watches it. */
  readonly artistName: string | undefined;
  /** The plan that the account has now; rejects if the session or the membership has ended. For long responses. */
  readonly planNow: () => Promise<PlanName>;
  /** Id of the element that htmx will replace; undefined for a whole page. */
  readonly fragment: string | undefined;
  /** Adds `/a/ACCOUNT` to a path. Every link of a page needs it. */
  readonly link: (path: string) => string;
  /**
   * Sends the start of a page with this title before its data is read. The status is then 200, so call it only once the
   * status no longer depends on the data.
   */
  readonly begin: (title: string) => Promise<void>;
}

/** The response of a page. */
export type Reply =
  /** A whole page inside the layout. */
  | { readonly kind: 'page'; readonly title: string; readonly body: VNode; readonly status?: number }
  /** A part of a page for htmx. */
  | { readonly kind: 'fragment'; readonly body: VNode; readonly status?: number }
  /** 303 to a path below the account after a form. The next page shows the notice once. */
  | { readonly kind: 'redirect'; readonly to: string; readonly notice?: string }
  /** A picture or an Atom feed. With a file name, browsers download it. */
  | {
      readonly kind: 'file';
      readonly type: string;
      readonly body: string | Uint8Array;
      readonly fileName?: string;
      readonly cacheControl?: string;
    }
  /** A file that does not fit into memory, created during the download. */
  | {
      readonly kind: 'stream';
      readonly type: string;
      readonly fileName: string;
      readonly chunks: AsyncGenerator<Uint8Array>;
    };

interface Access {
  /** Members with a lower role get the same 404 as for an unknown page. */
  readonly role?: MemberRole;
  /** Needs a code by email, unless the member entered one in the last 30 minutes. */
  readonly needsFreshCode?: true;
}

/**
 * Access levels. A fresh code is needed for actions that always have an effect
 * (packages/domain/src/account/effects.ts), and to delete destinations, revoke keys or remove members.
 */
const ACCESS = {
  anybody: {},
  member: { role: 'member' },
  'member with code': { role: 'member', needsFreshCode: true },
  owner: { role: 'owner' },
  'owner with code': { role: 'owner', needsFreshCode: true },
} as const satisfies Record<string, Access>;

export type MemberAccess = Exclude<keyof typeof ACCESS, 'anybody'>;

/** Guests have no role, and members always have one. */
type AccessOf<Asker> = Asker extends Visit ? MemberAccess : 'anybody';

/** How long a form may be: 16 KiB, 32 KiB with a list of artists, 256 KiB with pasted lines. Guests' forms: 4 KiB. */
export type FormBody = 'member' | 'artists' | 'lines';

interface PageRoute<Asker> extends Access {
  readonly body: FormBody;
  readonly method: 'GET' | 'POST';
  /** In express syntax: `/changes/:change`. Members' pages are below `/a/ACCOUNT`. */
  readonly path: string;
  readonly answer: (asker: Asker) => Promise<Reply>;
}

export type Page = PageRoute<Visit>;

/** A page outside an account. */
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

/** 400 if a filter or a form is invalid. @param errors errors by field */
export function statusOf(errors: object): 200 | 400 {
  return Object.keys(errors).length > 0 ? 400 : 200;
}

/** A whole page. */
export function page(title: string, body: VNode, status = 200): Reply {
  return { kind: 'page', title, body, status };
}

/** Redirects to a GET after a form, so that a reload repeats nothing. */
export function redirect(to: string, notice?: string): Reply {
  return notice === undefined ? { kind: 'redirect', to } : { kind: 'redirect', to, notice };
}

/** The result of the read; undefined if it throws NotFound. */
export function ifFound<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

/** Why an action was rejected, for its page. */
export interface PageProblem {
  readonly text: string;
  readonly status: number;
}

/**
 * Runs a form's action. If the state, the plan or a rate limit does not allow it, `show` renders a page with the reason.
 * Rethrows other errors.
 */
export async function actOrExplain(
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

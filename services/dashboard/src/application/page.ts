import { API_ERRORS, ApiError } from '@artist-watch/contracts/api/errors';
import type { Actor, MemberRole } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, MemberId, SessionId } from '@artist-watch/domain/ids';
import { NotFound, Refusal } from '@artist-watch/domain/refusals';
import type { VNode } from 'preact';

export type CookieName = 'session' | 'sign-in' | 'notice';

export interface Browser {
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly cookie: (name: CookieName) => string | undefined;
  /** An undefined value deletes the cookie. */
  readonly setCookie: (name: CookieName, value: string | undefined, maxAgeSeconds?: number) => void;
}

interface AddressedPage extends Browser {
  readonly now: Date;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
}

export interface Guest extends AddressedPage {
  /** Undefined if there is no valid session. */
  readonly session: () => Promise<{ readonly id: SessionId; readonly email: string } | undefined>;
}

export interface Visit extends AddressedPage {
  readonly account: { readonly id: AccountId; readonly name: string; readonly plan: PlanName };
  readonly member: { readonly id: MemberId; readonly email: string; readonly role: MemberRole };
  readonly actor: Actor;
  readonly sessionId: SessionId;
  /** True if the member signed in or entered a fresh code in the last 30 minutes. */
  readonly hasFreshCode: boolean;
  readonly zone: string;
  /** Undefined if the account does not watch the artist. */
  readonly artistName: string | undefined;
  /** Reads the current plan, for use during long responses. Rejects if the session or the membership has ended. */
  readonly planNow: () => Promise<PlanName>;
  /** The element that htmx will replace. Undefined if the request is for a full page. */
  readonly fragment: string | undefined;
  /** Adds `/a/ACCOUNT` to a path. */
  readonly link: (path: string) => string;
  /** Sends the beginning of a page before its data has been read. Only call this if the status will be 200. */
  readonly begin: (title: string) => Promise<void>;
}

/**
 * Hidden fields that preserve a form while the user signs in or enters a code. Empty if there is no form to preserve.
 */
export type KeptForm = ReadonlyArray<readonly [name: string, value: string]>;

export type Reply =
  | { readonly kind: 'page'; readonly title: string; readonly body: VNode; readonly status?: number }
  | { readonly kind: 'fragment'; readonly body: VNode; readonly status?: number }
  /** A 303 redirect to a path in the account, for use after a form submission. The next page shows the notice once. */
  | { readonly kind: 'redirect'; readonly to: string; readonly notice?: string }
  /** A 307 redirect, which makes the browser send the same form to a different path. */
  | { readonly kind: 'repeat'; readonly to: string }
  | {
      readonly kind: 'file';
      readonly type: string;
      readonly body: string | Uint8Array;
      readonly fileName?: string;
      readonly cacheControl?: string;
    }
  /** Generated during the download, because the whole file may not fit into memory. */
  | {
      readonly kind: 'stream';
      readonly type: string;
      readonly fileName: string;
      readonly chunks: AsyncGenerator<Uint8Array>;
    };

interface Access {
  /** Members with a lower role get the same 404 as if the page didn't exist. */
  readonly role?: MemberRole;
  /** The member must enter a code from an email, unless they signed in or entered one in the last 30 minutes. */
  readonly needsFreshCode?: true;
}

/**
 * "With code" applies to actions with the effects listed in packages/domain/src/account/actor.ts, and to deleting
 * destinations, revoking keys and removing members.
 */
const ACCESS = {
  anybody: {},
  member: { role: 'member' },
  'member with code': { role: 'member', needsFreshCode: true },
  owner: { role: 'owner' },
  'owner with code': { role: 'owner', needsFreshCode: true },
} as const satisfies Record<string, Access>;

export type MemberAccess = Exclude<keyof typeof ACCESS, 'anybody'>;

type AccessOf<Asker> = Asker extends Visit ? MemberAccess : 'anybody';

/**
 * Maximum form sizes: 16 KiB for most, 32 KiB with artists, 48 KiB for email rules, 256 KiB with pasted lines. The
 * maximum for guests is 4 KiB.
 */
export type FormBody = 'member' | 'artists' | 'emailRules' | 'lines';

interface PageRoute<Asker> extends Access {
  readonly body: FormBody;
  readonly method: 'GET' | 'POST';
  /** Paths use Express syntax. Members' pages are under `/a/ACCOUNT`. */
  readonly path: string;
  readonly answer: (asker: Asker) => Promise<Reply>;
}

export type Page = PageRoute<Visit>;

export type GuestPage = PageRoute<Guest>;

function routeOf(method: 'GET' | 'POST') {
  return <Asker>(
    path: string,
    access: AccessOf<Asker>,
    answer: PageRoute<Asker>['answer'],
    body: FormBody = 'member',
  ): PageRoute<Asker> => ({
    method,
    path,
    answer,
    body,
    ...ACCESS[access],
  });
}

export const get = routeOf('GET');
export const post = routeOf('POST');

export function statusOf(errors: object): 200 | 400 {
  return Object.keys(errors).length > 0 ? 400 : 200;
}

export function page(title: string, body: VNode, status = 200): Reply {
  return { kind: 'page', title, body, status };
}

/** Redirects after a form, so that reloading the page doesn't submit the form again. */
export function redirect(to: string, notice?: string): Reply {
  return notice === undefined ? { kind: 'redirect', to } : { kind: 'redirect', to, notice };
}

export function ifFound<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

export interface PageProblem {
  readonly text: string;
  readonly status: number;
  /** The invalid field, if a single field caused the problem. */
  readonly field?: string | undefined;
}

/**
 * If the object's state, the plan or a rate limit doesn't allow the action, renders the reason. Rethrows any other
 * error.
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
    const text = error.message.replace(/^This destination/, 'This channel');
    const field = error instanceof ApiError ? error.errors[0]?.param : undefined;
    return show(visit, { text, status: API_ERRORS[error.code].status, field });
  }
}

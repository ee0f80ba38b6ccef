import { API_ERRORS, ApiError } from '@artist-watch/contracts/api/errors';
import type { Actor, MemberRole } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, MemberId, SessionId } from '@artist-watch/domain/ids';
import { NotFound, Refusal } from '@artist-watch/domain/refusals';
import type { VNode } from 'preact';

/** Names of the dashboard's cookies. Over https, they also have a prefix. */
export type CookieName = 'session' | 'sign-in' | 'notice';

/** The client of a request, and its cookies. */
export interface Browser {
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly cookie: (name: CookieName) => string | undefined;
  /** An undefined value deletes the cookie. */
  readonly setCookie: (name: CookieName, value: string | undefined, maxAgeSeconds?: number) => void;
}

interface AddressedPage extends Browser {
  readonly now: Date;
  /** The parameters in the path, by their names in `PageRoute.path`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the form. Empty for GET requests. */
  readonly form: URLSearchParams;
}

/** A request to a page that belongs to no account, such as the sign-in page. */
export interface Guest extends AddressedPage {
  /** Looks up the session of the cookie with one statement. Undefined if there is no valid session. */
  readonly session: () => Promise<{ readonly id: SessionId; readonly email: string } | undefined>;
}

/** A member's request to a page of an account, with everything that the page may depend on. */
export interface Visit extends AddressedPage {
  readonly account: { readonly id: AccountId; readonly name: string; readonly plan: PlanName };
  readonly member: { readonly id: MemberId; readonly email: string; readonly role: MemberRole };
  /** The member, as recorded in the audit log. */
  readonly actor: Actor;
  readonly sessionId: SessionId;
  /** True if the member signed in or entered a fresh code in this session in the last 30 minutes. */
  readonly hasFreshCode: boolean;
  /** The member's IANA time zone. */
  readonly zone: string;
  /** The name of the artist in the path, if the account watches that artist. */
  readonly artistName: string | undefined;
  /** Reads the account's plan again, for long responses. Rejects if the session or the membership has ended. */
  readonly planNow: () => Promise<PlanName>;
  /** The id of the element that htmx will replace. Undefined if a whole page is requested. */
  readonly fragment: string | undefined;
  /** Adds `/a/ACCOUNT` to a path. All links between an account's pages need it. */
  readonly link: (path: string) => string;
  /**
   * Sends the start of a page with this title before its data is read. This fixes the status at 200, so call it only if
   * the page can no longer end with a different status.
   */
  readonly begin: (title: string) => Promise<void>;
}

/** The response that a page returns. */
export type Reply =
  /** A whole page, shown inside the layout. */
  | { readonly kind: 'page'; readonly title: string; readonly body: VNode; readonly status?: number }
  /** A part of a page, requested by htmx. */
  | { readonly kind: 'fragment'; readonly body: VNode; readonly status?: number }
  /** A redirect (303) to a path below the account, sent after a form. The next page shows the notice once. */
  | { readonly kind: 'redirect'; readonly to: string; readonly notice?: string }
  /** A picture or an Atom feed. If it has a file name, the browser saves it as a file. */
  | {
      readonly kind: 'file';
      readonly type: string;
      readonly body: string | Uint8Array;
      readonly fileName?: string;
      readonly cacheControl?: string;
    }
  /** A file that is created during the download, because it may not fit into memory. */
  | {
      readonly kind: 'stream';
      readonly type: string;
      readonly fileName: string;
      readonly chunks: AsyncGenerator<Uint8Array>;
    };

interface Access {
  /**
   * The lowest role that may open the page. For members with a lower role, the response is the same 404 as for an
   * unknown page.
   */
  readonly role?: MemberRole;
  /** The member must enter a code from an email, unless the last code or sign-in is less than 30 minutes old. */
  readonly needsFreshCode?: true;
}

/**
 * Access levels of pages. "With code" applies to actions with the effects listed in
 * packages/domain/src/account/effects.ts, and to deleting destinations, revoking keys and removing members.
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

/**
 * The maximum size of a form: 16 KiB for most forms, 32 KiB with a list of artists, 48 KiB with the two lists of the email rules, and 256 KiB with pasted lines.
 * Forms of guests have at most 4 KiB.
 */
export type FormBody = 'member' | 'artists' | 'emailRules' | 'lines';

interface PageRoute<Asker> extends Access {
  readonly body: FormBody;
  readonly method: 'GET' | 'POST';
  /** The path in Express syntax, such as `/changes/:change`. Members' pages are below `/a/ACCOUNT`. */
  readonly path: string;
  readonly answer: (asker: Asker) => Promise<Reply>;
}

export type Page = PageRoute<Visit>;

/** A page that belongs to no account. */
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

/** Returns 400 if a filter or a form is invalid. @param errors error messages by field */
export function statusOf(errors: object): 200 | 400 {
  return Object.keys(errors).length > 0 ? 400 : 200;
}

/** A whole page. */
export function page(title: string, body: VNode, status = 200): Reply {
  return { kind: 'page', title, body, status };
}

/** Redirects after a form, so that reloading the next page does not send the form again. */
export function redirect(to: string, notice?: string): Reply {
  return notice === undefined ? { kind: 'redirect', to } : { kind: 'redirect', to, notice };
}

/** Returns the result of a read, or undefined if it throws NotFound. */
export function ifFound<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

/** The reason why an action was rejected. The page shows it. */
export interface PageProblem {
  readonly text: string;
  readonly status: number;
}

/**
 * Runs a form's action. If the object's state, the plan or a rate limit does not allow the action, `show` renders a
 * page with the reason. Other errors are thrown again.
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

import type { Actor, MemberRole } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, MemberId, SessionId } from '@artist-watch/domain/ids';
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

/** A request of a member in one of its accounts: all that a page may decide on. */
export interface Visit extends Browser {
  readonly account: { readonly id: AccountId; readonly name: string; readonly plan: PlanName };
  readonly member: { readonly id: MemberId; readonly email: string; readonly role: MemberRole };
  /** The member, as the audit records who did something. */
  readonly actor: Actor;
  readonly sessionId: SessionId;
  /** IANA time zone in which the member reads instants. */
  readonly zone: string;
  /** BCP 47, for numbers and dates. */
  readonly locale: string;
  readonly now: Date;
  /** Of the artist that the path names, where the account watches it. */
  readonly artistName: string | undefined;
  /** The path's parameters, as `Page.path` names them. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of a form; empty for GET. */
  readonly form: URLSearchParams;
  /** The id of the element that htmx will replace; undefined when a whole page is asked for. */
  readonly fragment: string | undefined;
  /** `/a/ACCOUNT` and the path: every link of a page goes through it. */
  readonly link: (path: string) => string;
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

export interface Page {
  readonly method: 'GET' | 'POST';
  /** Below `/a/ACCOUNT`, as express writes it: `/changes/:change`. */
  readonly path: string;
  /** Who has a lower role is answered as if there were no such page; `member` unless given. */
  readonly role?: MemberRole;
  /** Asks for a code by mail first, unless the member typed one in the last 30 minutes. */
  readonly needsFreshCode?: true;
  readonly answer: (visit: Visit, begin: Begin) => Promise<Reply>;
}

/**
 * Sends what stands around a whole page of this title, while the rest of it is read. From then on the answer is 200, so it
 * is for pages whose status no longer depends on what is read.
 */
export type Begin = (title: string) => Promise<void>;

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

import type { SessionId } from '@artist-watch/domain/ids';
import type { Reply } from './page.js';

/** The cookies of the dashboard, without the prefix that they have over https. */
export type CookieName = 'session' | 'sign-in' | 'notice';

/** A request outside of an account: from somebody who signs in, or who chooses an account. */
export interface Guest {
  readonly now: Date;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly cookie: (name: CookieName) => string | undefined;
  /** An undefined value deletes the cookie. */
  readonly setCookie: (name: CookieName, value: string | undefined, maxAgeSeconds?: number) => void;
  /** Of the session cookie; undefined when nobody is signed in. One statement. */
  readonly session: () => Promise<{ readonly id: SessionId; readonly email: string } | undefined>;
}

/** A page outside of an account. */
export interface GuestPage {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (guest: Guest) => Promise<Reply>;
}

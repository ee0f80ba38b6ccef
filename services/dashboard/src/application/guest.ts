import type { SessionId } from '@artist-watch/domain/ids';
import type { Browser, Reply } from './page.js';

/** A request outside of an account: from somebody who signs in, or who chooses an account. */
export interface Guest extends Browser {
  readonly now: Date;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  /** Of the session cookie; undefined when nobody is signed in. One statement. */
  readonly session: () => Promise<{ readonly id: SessionId; readonly email: string } | undefined>;
}

/** A page outside of an account. */
export interface GuestPage {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (guest: Guest) => Promise<Reply>;
}

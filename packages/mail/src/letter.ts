/**
 * The content of an email. The HTML and the plain text are rendered from the same parts, so they have the same content.
 */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly LetterPart[];
  /**
   * Groups emails about the same subject in a thread. The Message-ID of the first email is `first` at our host, and
   * later emails reply to it (RFC 5322, section 3.6.4). Some mail programs also require the same subject line, except for
   * `Re:` (https://support.google.com/mail/answer/5900).
   */
  readonly thread?: { readonly first: string; readonly isFirst: boolean };
  /** The URL to unsubscribe with one click (RFC 8058). Undefined for emails that are always sent. */
  readonly unsubscribeUrl?: string;
}

export type LetterPart =
  | { readonly kind: 'text'; readonly text: string }
  /** The main link, shown as a button. */
  | { readonly kind: 'action'; readonly label: string; readonly url: string }
  /** A code that the reader types. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  /** A picture on another server. Some mail programs do not load it, and the plain text omits it. */
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'facts'; readonly items: ReadonlyArray<readonly [label: string, value: string]> }
  /**
   * The changes to an artist, grouped by release. The release name is null for changes to the artist itself, and to
   * tracks whose release is unknown.
   */
  | { readonly kind: 'artist'; readonly name: string; readonly releases: readonly ReleaseChanges[] }
  /** Multi-line text for the reader to copy. */
  | { readonly kind: 'quote'; readonly title: string; readonly text: string }
  | { readonly kind: 'list'; readonly items: ReadonlyArray<{ readonly text: string; readonly url?: string }> }
  /** Small print, such as the reason why the reader gets the email. */
  | {
      readonly kind: 'small';
      readonly text: string;
      readonly links?: ReadonlyArray<{ readonly label: string; readonly url: string }>;
    };

export interface ReleaseChanges {
  readonly name: string | null;
  readonly changes: ReadonlyArray<{
    readonly text: string;
    readonly url: string;
    readonly severity: string;
    /** The status and the assignee, such as `open, mei@label.example`. */
    readonly status: string;
  }>;
}

/** Information that every kind of email can use besides its data. */
export interface LetterContext {
  /** Returns the URL of a dashboard page. */
  readonly link: (path: string) => string;
  readonly recipient: string;
  /**
   * The account's name. It is shown because a person may be a member of several accounts. Empty if the email belongs to
   * no account.
   */
  readonly accountName: string;
  /** IANA time zone of the member. */
  readonly zone: string;
  readonly now: Date;
}

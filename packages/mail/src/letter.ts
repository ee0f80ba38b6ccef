/** The content of an email. HTML and plain text are rendered from the same parts, so both say the same. */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly LetterPart[];
  /**
   * Groups emails about one matter in a thread: the first one's Message-ID is `first` at our host, and the others reply to it
   * (RFC 5322, section 3.6.4). Mail programs also need the same subject, apart from `Re:`
   * (https://support.google.com/mail/answer/5900).
   */
  readonly thread?: { readonly first: string; readonly isFirst: boolean };
  /** URL for unsubscribing with one click (RFC 8058). Undefined for emails that are always sent. */
  readonly unsubscribeUrl?: string;
}

export type LetterPart =
  | { readonly kind: 'text'; readonly text: string }
  /** The main link, shown as a button. */
  | { readonly kind: 'action'; readonly label: string; readonly url: string }
  /** A code that the reader types. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'list'; readonly items: ReadonlyArray<{ readonly text: string; readonly url?: string }> }
  /** Small print: why the reader gets the email, and similar notes. */
  | {
      readonly kind: 'small';
      readonly text: string;
      readonly links?: ReadonlyArray<{ readonly label: string; readonly url: string }>;
    };

/** What a kind of email may use besides its data. */
export interface LetterContext {
  /** The URL of a page of the dashboard. */
  readonly link: (path: string) => string;
  readonly recipient: string;
  /** Shown because one person may be a member of several accounts. Empty in emails that belong to no account. */
  readonly accountName: string;
  /** IANA time zone of the member. */
  readonly zone: string;
  readonly now: Date;
}

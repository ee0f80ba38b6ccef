/** What a mail says, before it is HTML or text: both are made from the same parts, so that neither can say less. */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly LetterPart[];
  /**
   * Mails of one matter stand together: the first one's Message-ID is `first` at our host, and the others answer it
   * (RFC 5322, section 3.6.4). Programs also want the same subject, but for `Re:`
   * (https://support.google.com/mail/answer/5900).
   */
  readonly thread?: { readonly first: string; readonly isFirst: boolean };
  /** Where one click ends mails of this kind (RFC 8058); mails that are always sent have none. */
  readonly unsubscribeUrl?: string;
}

export type LetterPart =
  | { readonly kind: 'text'; readonly text: string }
  /** What the reader is here for: a link that stands out. */
  | { readonly kind: 'action'; readonly label: string; readonly url: string }
  /** To be read and typed: a code. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'list'; readonly items: ReadonlyArray<{ readonly text: string; readonly url?: string }> }
  /** Why the reader gets the mail, and what else is good to know. */
  | {
      readonly kind: 'small';
      readonly text: string;
      readonly links?: ReadonlyArray<{ readonly label: string; readonly url: string }>;
    };

/** What a kind of mail may use besides its data. */
export interface LetterContext {
  /** The address of a page of the dashboard. */
  readonly link: (path: string) => string;
  readonly recipient: string;
  /** As its mails call it: an address may have seats in several accounts. Empty in mails that are of none. */
  readonly accountName: string;
  /** IANA time zone of the member. */
  readonly zone: string;
  readonly now: Date;
}

/** HTML and plain text are both rendered from these parts. */
export interface Letter {
  readonly subject: string;
  readonly parts: readonly LetterPart[];
  /**
   * Later emails reply to the Message-ID in `first` (RFC 5322, section 3.6.4). Some email clients only group emails
   * that also have the same subject (https://support.google.com/mail/answer/5900).
   */
  readonly thread?: { readonly first: string; readonly isFirst: boolean };
  /** Unsubscribes with one click (RFC 8058). Undefined for emails that are always sent. */
  readonly unsubscribeUrl?: string;
}

export type LetterPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly label: string; readonly url: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  /** An image on another server. Some email clients don't load it, and the plain text leaves it out. */
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'facts'; readonly items: ReadonlyArray<readonly [label: string, value: string]> }
  | { readonly kind: 'artist'; readonly name: string; readonly events: readonly LetterEvent[] }
  | { readonly kind: 'quote'; readonly title: string; readonly text: string }
  | { readonly kind: 'list'; readonly items: ReadonlyArray<{ readonly text: string; readonly url?: string }> }
  | {
      readonly kind: 'small';
      readonly text: string;
      readonly links?: ReadonlyArray<{ readonly label: string; readonly url: string }>;
    };

export interface LetterEvent {
  readonly name: string;
  readonly fact: string;
  readonly url: string;
  readonly severity: string;
  readonly status: string;
}

export interface LetterContext {
  readonly link: (path: string) => string;
  readonly recipient: string;
  readonly accountName: string;
  /** The member's IANA time zone. */
  readonly zone: string;
  readonly now: Date;
}

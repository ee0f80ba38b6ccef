import { changeTitle, oneLine, withoutLinks } from '@artist-watch/domain/channel/change-message';
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { z } from 'zod';

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
  /** The name is empty if the email is about one artist. */
  | { readonly kind: 'artist'; readonly name: string; readonly events: readonly LetterEvent[] }
  | { readonly kind: 'quote'; readonly title: string; readonly text: string }
  | { readonly kind: 'list'; readonly items: ReadonlyArray<{ readonly text: string; readonly url?: string }> }
  | {
      readonly kind: 'small';
      readonly text: string;
      readonly links?: ReadonlyArray<{ readonly label: string; readonly url: string }>;
    };

interface LetterEvent {
  readonly name: string;
  readonly fact: string;
  readonly url: string;
  readonly severity: string;
  /** Undefined in alerts, because all their changes are new. */
  readonly status?: string;
  /** Sentences with the old and new values. */
  readonly details?: readonly string[];
}

export interface LetterContext {
  readonly link: (path: string) => string;
  readonly recipient: string;
  readonly accountName: string;
  /** The member's IANA time zone. */
  readonly zone: string;
  readonly now: Date;
}

export interface MailKind {
  /** @throws ZodError if the data does not match the kind's schema */
  readonly write: (data: unknown, context: LetterContext) => Letter;
}

export function mailKind<Data>(
  schema: z.ZodType<Data>,
  write: (data: Data, context: LetterContext) => Letter,
): MailKind {
  return { write: (data, context) => write(schema.parse(data), context) };
}

/**
 * Cleans up a name from the platform. The result is a single line without links, and right-to-left words cannot reorder
 * the text around them.
 */
export function shown(text: string): string {
  return withoutLinks(oneLine(text)).replace(RTL_RUN, '\u2068$&\u2069');
}

const RTL = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
/**
 * U+2068 and U+2069 isolate right-to-left words (UAX #9), so that they don't change the direction of the whole line.
 */
const RTL_RUN = new RegExp(`[${RTL}](?:[^\\p{L}“”",;:]*[${RTL}\\p{N}])*`, 'gu');

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Each pair has a light and a dark color. Text has a contrast ratio of at least 4.5:1. */
const COLORS = {
  page: { background: ['#f7f7f5', '#131416'], color: ['#1d1d1b', '#e9e9e6'] },
  card: { background: ['#ffffff', '#1b1d20'], 'border-color': ['#e3e2dd', '#2d3035'] },
  line: { 'border-color': ['#e3e2dd', '#2d3035'] },
  sunken: { background: ['#f1f1ee', '#16181a'], color: ['#1d1d1b', '#e9e9e6'] },
  button: { background: ['#2f55b8', '#94b0f7'], color: ['#ffffff', '#10131a'] },
  ink: { color: ['#1d1d1b', '#e9e9e6'] },
  soft: { color: ['#5c5b56', '#a5a9af'] },
  link: { color: ['#2f55b8', '#94b0f7'] },
  bad: { color: ['#b3261e', '#ff9d92'] },
  warn: { color: ['#85560a', '#f0bd62'] },
} as const satisfies Record<string, Readonly<Record<string, readonly [light: string, dark: string]>>>;

type ColorClass = keyof typeof COLORS;

/** Email clients that remove this style sheet use the light scheme. */
const DARK = `:root { color-scheme: light dark; } @media (prefers-color-scheme: dark) { ${Object.entries(COLORS)
  .map(([name, colors]) => `.${name} { ${declarations(colors, 1, ' !important')} }`)
  .join(' ')} }`;

function declarations(colors: Readonly<Record<string, readonly string[]>>, scheme: 0 | 1, suffix = ''): string {
  return Object.entries(colors)
    .map(([property, values]) => `${property}: ${values[scheme]}${suffix};`)
    .join(' ');
}

/** The class applies the dark scheme, and the inline style applies the light one. */
function styled(name: ColorClass, style = '') {
  return { class: name, style: `${style} ${declarations(COLORS[name], 0)}`.trim() };
}

const FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/**
 * Renders HTML with inline styles, because some email clients remove style sheets. Preact escapes all text.
 * @param accountName empty if the email doesn't belong to an account.
 */
export function letterHtml({ subject, parts }: Letter, accountName: string): string {
  const end = parts.findLastIndex(({ kind }) => kind !== 'small') + 1;
  return `<!doctype html>${render(
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{DARK}</style>
      </head>
      <body {...styled('page', `margin: 0; padding: 24px 16px; ${FONT}; font-size: 16px; line-height: 1.5;`)}>
        <main dir="ltr" style="max-width: 560px; margin: 0 auto; overflow-wrap: anywhere">
          <p {...styled('soft', 'margin: 0 0 12px; padding: 0 4px; font-size: 14px;')}>
            <b {...styled('ink')}>Artist Watch</b>
            {accountName !== '' && ` · ${accountName}`}
          </p>
          <div {...styled('card', 'padding: 8px 24px; border: 1px solid; border-radius: 12px;')}>
            {parts.slice(0, end).map(partView)}
          </div>
          {parts.slice(end).map(partView)}
        </main>
      </body>
    </html>,
  )}`;
}

function partView(part: LetterPart): VNode {
  switch (part.kind) {
    case 'text':
      return <p>{part.text}</p>;
    case 'title':
      return <h1 style="margin: 16px 0 4px; font-size: 21px; line-height: 1.3">{part.text}</h1>;
    case 'image':
      return (
        <img
          src={part.url}
          alt={part.alt}
          width="96"
          height="96"
          style="display: block; margin-top: 16px; border-radius: 6px"
        />
      );
    case 'facts':
      return (
        <table role="presentation" style="border-collapse: collapse; font-size: 15px">
          {part.items.map(([label, value]) => (
            <tr>
              <td {...styled('soft', 'width: 104px; padding: 3px 12px 3px 0; vertical-align: top;')}>{label}</td>
              <td style="padding: 3px 0">{value}</td>
            </tr>
          ))}
        </table>
      );
    case 'artist':
      return (
        <div {...styled('line', 'padding-top: 14px; border-top: 1px solid;')}>
          {part.name !== '' && <h2 style="margin: 0; font-size: 15px">{part.name}</h2>}
          {part.events.map(({ name, fact, url, severity, status, details }) => (
            <p style="margin: 0 0 8px; font-size: 15px">
              <a href={url} {...styled('link', 'display: inline-block; padding: 10px 0 2px;')}>
                <b>{name}</b> {fact}
              </a>
              <br />
              <span style="font-size: 13px">
                <span {...styled(severity === 'critical' ? 'bad' : severity === 'warning' ? 'warn' : 'soft')}>
                  {changeTitle(severity)}
                </span>
                {status !== undefined && <span {...styled('soft')}> · {status}</span>}
                {details?.map((detail) => (
                  <>
                    <br />
                    <span {...styled('soft')}>{detail}</span>
                  </>
                ))}
              </span>
            </p>
          ))}
        </div>
      );
    case 'quote':
      return (
        <div {...styled('line', 'margin-bottom: 16px; border-top: 1px solid;')}>
          <h2 style="font-size: 15px">{part.title}</h2>
          <div {...styled('sunken', 'padding: 14px 16px; border-radius: 8px; font-size: 14px; white-space: pre-line;')}>
            {part.text}
          </div>
        </div>
      );
    case 'heading':
      return <h2 style="font-size: 18px">{part.text}</h2>;
    case 'small':
      return (
        <p {...styled('soft', 'margin: 16px 4px 0; font-size: 13px;')}>
          {part.text}
          {part.links?.map(({ label, url }) => (
            <>
              <br />
              <a href={url} {...styled('link', 'display: inline-block; padding: 13px 0;')}>
                {label}
              </a>
            </>
          ))}
        </p>
      );
    case 'code':
      return <p style="font: 28px ui-monospace, monospace; letter-spacing: 0.1em">{part.text}</p>;
    case 'action':
      return (
        <p>
          <a
            href={part.url}
            {...styled(
              'button',
              'display: inline-block; padding: 11px 20px; border-radius: 8px; font-weight: 600; text-decoration: none;',
            )}
          >
            {part.label}
          </a>
        </p>
      );
    case 'list':
      return (
        <ul style="padding-left: 20px">
          {part.items.map(({ text, url }) => (
            <li style="padding: 10px 0">
              {url === undefined ? (
                text
              ) : (
                <a href={url} {...styled('link')}>
                  {text}
                </a>
              )}
            </li>
          ))}
        </ul>
      );
  }
}

export function letterText({ parts }: Letter): string {
  return `${parts.flatMap(partText).join('\n\n')}\n`;
}

function partText(part: LetterPart): string | [] {
  switch (part.kind) {
    case 'text':
    case 'title':
      return part.text;
    case 'image':
      return [];
    case 'facts':
      return part.items.map(([label, value]) => `${label}: ${value}`).join('\n');
    case 'artist': {
      const lines = part.events.flatMap(({ name, fact, url, severity, status, details = [] }) => [
        `  ${name} ${fact}`.trimEnd(),
        `  ${changeTitle(severity)}${status === undefined ? '' : `, ${status}`}`,
        ...details.map((detail) => `  ${detail}`),
        `  ${url}`,
      ]);
      return [part.name, ...lines].filter((line) => line !== '').join('\n');
    }
    case 'quote':
      return `${part.title.toUpperCase()}\n\n${part.text}`;
    case 'small':
      return [part.text, ...(part.links ?? []).map(({ label, url }) => `${label}: ${url}`)].join('\n');
    case 'heading':
      return part.text.toUpperCase();
    case 'code':
      return `    ${part.text}`;
    case 'action':
      return `${part.label}: ${part.url}`;
    case 'list':
      return part.items.map(({ text, url }) => (url === undefined ? `- ${text}` : `- ${text}\n  ${url}`)).join('\n');
  }
}

import { type EntityType, firstObserved, type Severity } from '../change/change-types.js';
import { minuteText } from '../zoned-time.js';

export interface ChangeMessage {
  readonly changeId: string;
  readonly artist: string;
  readonly entityType: EntityType;
  readonly entityName: string;
  readonly severity: Severity;
  readonly changeType: string;
  readonly summary: string;
  readonly detectedAt: Date;
  /** The change's page. Undefined for a test, and if DASHBOARD_URL isn't set. */
  readonly link?: string | undefined;
}

const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ...{
    api: 'API',
    ep: 'EP',
    http2: 'HTTP/2',
    isrc: 'ISRC',
    tls: 'TLS',
    upc: 'UPC',
    artwork: 'cover',
    image: 'picture',
  },
};

/** `release_removed` becomes `Release removed`. */
export function changeTitle(changeType: string): string {
  const words = changeType
    .replace(/^followers_/, 'follower_')
    .split('_')
    .filter(Boolean);
  const title = words.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Returns a title unless the summary names the entity. Another detector's summary may not. */
function titleFor({ changeType, entityType, entityName, artist, summary }: ChangeMessage): string | undefined {
  if (/[^.]/.test(oneLine(summary)) && summary.includes(entityName)) return undefined;
  return `${changeTitle(changeType)}: ${entityType === 'artist' ? artist : `${entityName} by ${artist}`}`;
}

export function utcMinute(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Cleans an untrusted name, but keeps the joiners that some scripts and emoji need. */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(INVISIBLE, '$1')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
}

/**
 * A regional flag is a black flag followed by tag characters for the region (UTS #51, annex C). Other tag characters
 * could hide text.
 */
const FLAG = /\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6}\u{E007F}/u.source;
const INVISIBLE = new RegExp(
  `(${FLAG})|(?!\\u200c|\\u200d|\\ufe0e|\\ufe0f)(?:\\p{Cf}|\\p{Default_Ignorable_Code_Point})`,
  'gu',
);

/** Prevents chat programs from turning URLs into links. */
export function withoutLinks(text: string): string {
  return text.replace(/:\/\//g, `:${WORD_JOINER}//`).replace(/\bwww\./gi, `$&${WORD_JOINER}`);
}

/** A zero-width character that prevents a line break. */
const WORD_JOINER = '\u2060';

/** Limits the converted text to `maxChars` UTF-16 units, without splitting a character. */
export function clipped(text: string, maxChars: number, toShow: (text: string) => string): string {
  const whole = toShow(text);
  if (whole.length <= maxChars) return whole;
  let [kept, length] = ['', 1];
  for (const character of text) {
    const part = toShow(character);
    length += part.length;
    if (length > maxChars) break;
    kept += part;
  }
  return `${kept}…`;
}

/**
 * Together, these limits stay below 6,000 characters per message
 * (https://docs.discord.com/developers/resources/message#embed-object-embed-limits).
 */
const MAX_TITLE_CHARS = 256;
const MAX_DESCRIPTION_CHARS = 4_096;
const MAX_FIELD_CHARS = 1_024;

const COLOURS: Readonly<Record<Severity, number>> = { critical: 0xc62828, warning: 0xef6c00, info: 0x1565c0 };

export function discordMessage(change: ChangeMessage): string {
  const { summary } = change;
  const title = titleFor(change);
  const first = changeTitle(firstObserved(change.changeType));
  return JSON.stringify({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: discordText(title ?? summary.replace(/\.$/, ''), MAX_TITLE_CHARS),
        url: change.link,
        ...((title !== undefined || summary.length > MAX_TITLE_CHARS) && {
          description: discordText(summary, MAX_DESCRIPTION_CHARS),
        }),
        color: COLOURS[change.severity],
        timestamp: change.detectedAt.toISOString(),
        fields: [
          { name: first, value: discordText(minuteText(change.detectedAt, 'UTC'), MAX_FIELD_CHARS), inline: true },
          { name: 'Severity', value: changeTitle(change.severity), inline: true },
        ],
        footer: { text: change.changeId },
      },
    ],
  });
}

function discordText(text: string, maxChars: number): string {
  return clipped(oneLine(text), maxChars, discordEscaped);
}

/** Discord shows escaped characters literally, so no markup, mention or link remains. */
function discordEscaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** See https://docs.slack.dev/reference/block-kit. */
const MAX_HEADER_CHARS = 150;
const MAX_TEXT_CHARS = 3_000;

function linkBlock(text: string, url: string) {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'link', url, text }] }],
  };
}

/** Slack does not interpret markup, mentions or emoji in `plain_text`. */
export function slackMessage(change: ChangeMessage): string {
  const title = titleFor(change);
  const summary = plainText(change.summary, MAX_TEXT_CHARS);
  const context = `${changeTitle(change.severity)} · ${firstObserved(change.changeType)} ${minuteText(change.detectedAt, 'UTC')} · ${change.changeId}`;
  return JSON.stringify({
    text: slackText(title === undefined ? change.summary : `${title}. ${change.summary}`, MAX_TEXT_CHARS),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      ...(title === undefined ? [] : [{ type: 'header', text: plainText(title, MAX_HEADER_CHARS) }]),
      // Slack rejects an empty text.
      ...(summary.text === '' ? [] : [{ type: 'section', text: summary }]),
      { type: 'context', elements: [plainText(context, MAX_TEXT_CHARS)] },
      // A button would need a Slack app that accepts interactions.
      ...(change.link === undefined ? [] : [linkBlock('View change', change.link)]),
    ],
  });
}

function plainText(text: string, maxChars: number) {
  return { type: 'plain_text', text: slackText(text, maxChars), emoji: false };
}

function slackText(text: string, maxChars: number): string {
  return clipped(withoutLinks(oneLine(text)), maxChars, slackEscaped);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** See https://docs.slack.dev/messaging/formatting-message-text#escaping. */
function slackEscaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

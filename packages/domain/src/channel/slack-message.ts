import { firstObserved } from '../change/change-types.js';
import {
  type ChangeMessage,
  changeSubject,
  changeTitle,
  clipped,
  oneLine,
  utcMinute,
  withoutLinks,
} from './change-message.js';

/** See https://docs.slack.dev/reference/block-kit. */
const MAX_HEADER_CHARS = 150;
const MAX_TEXT_CHARS = 3_000;

/** Slack does not interpret markup, mentions or emoji in `plain_text`. */
export function slackMessage(change: ChangeMessage): string {
  const header = `${changeTitle(change.changeType)}: ${changeSubject(change)}`;
  const summary = plainText(change.summary, MAX_TEXT_CHARS);
  const context = `${change.severity} · ${firstObserved(change.changeType)} ${utcMinute(change.detectedAt)} · ${change.changeId}`;
  return JSON.stringify({
    text: shown(`${header}. ${change.summary}`, MAX_TEXT_CHARS),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plainText(header, MAX_HEADER_CHARS) },
      // Slack rejects an empty text.
      ...(summary.text === '' ? [] : [{ type: 'section', text: summary }]),
      { type: 'context', elements: [plainText(context, MAX_TEXT_CHARS)] },
    ],
  });
}

function plainText(text: string, maxChars: number) {
  return { type: 'plain_text', text: shown(text, maxChars), emoji: false };
}

function shown(text: string, maxChars: number): string {
  return clipped(withoutLinks(oneLine(text)), maxChars, escaped);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** See https://docs.slack.dev/messaging/formatting-message-text#escaping. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

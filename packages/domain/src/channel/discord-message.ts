import type { Severity } from '../change/change-types.js';
import { type ChangeMessage, changeSubject, changeTitle, clipped, oneLine } from './change-message.js';

/**
 * Together, these limits stay below 6,000 characters per message
 * (https://docs.discord.com/developers/resources/message#embed-object-embed-limits).
 */
const MAX_TITLE_CHARS = 256;
const MAX_DESCRIPTION_CHARS = 4_096;
const MAX_FIELD_CHARS = 1_024;

const COLOURS: Readonly<Record<Severity, number>> = { critical: 0xc62828, warning: 0xef6c00, info: 0x1565c0 };

export function discordMessage(change: ChangeMessage): string {
  return JSON.stringify({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: shown(`${changeTitle(change.changeType)}: ${changeSubject(change)}`, MAX_TITLE_CHARS),
        description: shown(change.summary, MAX_DESCRIPTION_CHARS),
        color: COLOURS[change.severity],
        timestamp: change.detectedAt.toISOString(),
        fields: [
          { name: 'Artist', value: shown(change.artist, MAX_FIELD_CHARS) || '–', inline: true },
          { name: 'Severity', value: change.severity, inline: true },
        ],
        footer: { text: change.changeId },
      },
    ],
  });
}

function shown(text: string, maxChars: number): string {
  return clipped(oneLine(text), maxChars, escaped);
}

/** Discord shows escaped characters literally, so no markup, mention or link remains. */
function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

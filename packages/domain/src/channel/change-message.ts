import type { EntityType, Severity } from '../change/change-types.js';

/** Parsed from the stored webhook body. */
export interface ChangeMessage {
  readonly changeId: string;
  readonly artist: string;
  readonly entityType: EntityType;
  readonly entityName: string;
  readonly severity: Severity;
  readonly changeType: string;
  readonly summary: string;
  readonly detectedAt: Date;
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { api: 'API', isrc: 'ISRC', upc: 'UPC' };

/** `Release removed` for `release_removed`. */
export function changeTitle(changeType: string): string {
  const words = changeType.split('_').filter(Boolean);
  const title = words.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** "Flowers by Nina Vale", or only the artist's name for an artist change. */
export function changeSubject({ entityType, entityName, artist }: ChangeMessage): string {
  return entityType === 'artist' ? artist : `${entityName} by ${artist}`;
}

export function utcMinute(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Cleans an untrusted name. Keeps the joiners that scripts and emoji need, and the tags in flags. */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(INVISIBLE, '$1')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
}

/** A black flag and region letters as tags (UTS #51, annex C). Other tags could hide text. */
const FLAG = /\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6}\u{E007F}/u.source;
const INVISIBLE = new RegExp(
  `(${FLAG})|(?!\\u200c|\\u200d|\\ufe0e|\\ufe0f)(?:\\p{Cf}|\\p{Default_Ignorable_Code_Point})`,
  'gu',
);

/** Prevents chat programs from linking URLs. */
export function withoutLinks(text: string): string {
  return text.replace(/:\/\//g, `:${WORD_JOINER}//`).replace(/\bwww\./gi, `$&${WORD_JOINER}`);
}

/** A zero-width character that prevents a line break. */
const WORD_JOINER = '\u2060';

/** Applies `toShow` and limits the result to `maxChars` UTF-16 units, including `…`. Splits no character. */
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

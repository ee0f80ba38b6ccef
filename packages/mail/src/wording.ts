import { oneLine, withoutLinks } from '@artist-watch/domain/channel/plain-text';

/** Names and summaries hold what a platform's users chose: one line, and nothing that a mail program makes a link of. */
export function shown(text: string): string {
  return withoutLinks(oneLine(text));
}

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function localMinute(instant: Date, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(instant);
}

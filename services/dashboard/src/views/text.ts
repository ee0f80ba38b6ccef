export const LOCALE = 'en-GB';
export const LIST = new Intl.ListFormat(LOCALE);

export function numberText(value: number | null): string {
  return value === null ? '–' : value.toLocaleString(LOCALE);
}

export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns "2 years" for 730 days. */
export function daysText(days: number): string {
  return days >= 730 ? counted(Math.floor(days / 365), 'year') : counted(days, 'day');
}

export function ofText(count: number, limit: number): string {
  return `${numberText(count)} of ${numberText(limit)}`;
}

/** Longer URLs are shortened to fit on phones and in table cells. */
const LONGEST = 60;
const END = 20;

/** Returns the name, or the URL if there is no name. Long URLs are shortened in the middle. */
export function destinationTitle({ name, url }: { readonly name: string | null; readonly url: string }): string {
  if (name !== null || url.length <= LONGEST) return name ?? url;
  return `${url.slice(0, LONGEST - END - 1)}…${url.slice(-END)}`;
}

export function destinationLabel(destination: { name: string | null; url: string; isDeleted: boolean }): string {
  return `${destinationTitle(destination)}${destination.isDeleted ? ' (deleted)' : ''}`;
}

export function durationText({ startedAt, endedAt }: { readonly startedAt: Date; readonly endedAt: Date }): string {
  return `${numberText(Math.max(0, endedAt.getTime() - startedAt.getTime()))}\u00a0ms`;
}

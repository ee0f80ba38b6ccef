/** The locale of numbers, dates and times, as a BCP 47 tag. */
export const LOCALE = 'en-GB';

export function numberText(value: number): string {
  return value.toLocaleString(LOCALE);
}

/** Returns a count with its noun, such as "1 attempt" or "1,204 attempts". */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns a text such as "7 of 20". */
export function ofText(count: number, limit: number): string {
  return `${numberText(count)} of ${numberText(limit)}`;
}

/** URLs longer than this are shortened in the middle, to fit on phones and in table cells. */
const LONGEST = 60;
const END = 20;

/** Returns a destination's name. Without a name, returns its URL, shortened in the middle if it is long. */
export function destinationTitle({ name, url }: { readonly name: string | null; readonly url: string }): string {
  if (name !== null || url.length <= LONGEST) return name ?? url;
  return `${url.slice(0, LONGEST - END - 1)}…${url.slice(-END)}`;
}

/** Returns a destination's title. If it was deleted, adds "(deleted)". */
export function destinationLabel(destination: {
  readonly name: string | null;
  readonly url: string;
  readonly isDeleted: boolean;
}): string {
  return `${destinationTitle(destination)}${destination.isDeleted ? ' (deleted)' : ''}`;
}

/** Returns `bad` from half of `switchOffAfter` failures on, otherwise `warn`. */
export function failureTone(run: number, switchOffAfter: number): 'bad' | 'warn' {
  return 2 * run >= switchOffAfter ? 'bad' : 'warn';
}

/** Returns a text such as "7 of 20 failures in a row". */
export function failureRun(run: number, switchOffAfter: number): string {
  return `${run} of ${switchOffAfter} failures in a row`;
}

/** The duration of an attempt, such as "12 ms". */
export function durationText({ startedAt, endedAt }: { readonly startedAt: Date; readonly endedAt: Date }): string {
  return `${numberText(Math.max(0, endedAt.getTime() - startedAt.getTime()))}\u00a0ms`;
}

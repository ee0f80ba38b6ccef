/** BCP 47: numbers, dates and times are written by it. Pages are in English. */
export const LOCALE = 'en-GB';

export function numberText(value: number): string {
  return value.toLocaleString(LOCALE);
}

/** "1 attempt", "1,204 attempts" */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** "7 of 20" */
export function ofText(count: number, limit: number): string {
  return `${numberText(count)} of ${numberText(limit)}`;
}

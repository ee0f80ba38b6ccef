/** From half of the way to the switch-off on, somebody has to act. */
export function failureTone(run: number, switchOffAfter: number): 'bad' | 'warn' {
  return 2 * run >= switchOffAfter ? 'bad' : 'warn';
}

/** "7 of 20 failures in a row" */
export function failureRun(run: number, switchOffAfter: number): string {
  return `${run} of ${switchOffAfter} failures in a row`;
}

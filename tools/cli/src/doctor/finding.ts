import { connectionProblem, maskCredentials } from '@artist-watch/runtime/settings/start-failure';

/** What one look came to, as `--json` prints it. */
export interface Finding {
  readonly check: string;
  /**
   * `warning`: works, but not as it should; nothing must be done tonight. `fault`: something must be fixed. `skipped`:
   * could not be looked at, because of what another finding reports.
   */
  readonly state: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly found: string;
  /** What to do, of a warning and of a fault. */
  readonly fix: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, fix: null });
export const skipped = (check: string, found: string): Finding => ({ check, state: 'skipped', found, fix: null });
export const warning = (check: string, found: string, fix: string): Finding => ({
  check,
  state: 'warning',
  found,
  fix,
});
export const fault = (check: string, found: string, fix: string): Finding => ({ check, state: 'fault', found, fix });

/** Why something did not answer, in a few words without credentials. */
export function troubleOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return 'no answer';
  const known = connectionProblem(error);
  if (known) return known;
  const message = error instanceof Error ? error.message : String(error);
  return maskCredentials(message).replace(/\.$/, '');
}

/** As `--json` prints it: `healthy` is false when something must be fixed. */
export function asDocument(findings: readonly Finding[]): object {
  return { healthy: isHealthy(findings), checks: findings };
}

/** For people: one line a check, and under what is not as it should be what to do. */
export function asList(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap((finding) => {
    const line = `${finding.state.padEnd(7)}  ${finding.check.padEnd(width)}  ${asLine(finding.found)}`;
    return finding.fix === null ? [line] : [line, `${' '.repeat(width + 11)}→ ${asLine(finding.fix)}`];
  });
  return [...lines, '', conclusion(findings)].join('\n');
}

export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state !== 'fault');
}

function conclusion(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const warnings = count('warning') === 0 ? '' : ` Warnings: ${count('warning')}.`;
  if (isHealthy(findings)) return `No faults found.${warnings}`;
  const skippedLooks = count('skipped') === 0 ? '' : ` Skipped because of them: ${count('skipped')}.`;
  return `Faults: ${count('fault')}.${warnings}${skippedLooks}`;
}

/** Whatever a server said cannot move the cursor. */
function asLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

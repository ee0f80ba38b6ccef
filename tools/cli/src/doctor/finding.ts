import { connectionProblem, maskCredentials } from '@artist-watch/runtime/settings/start-failure';

export interface Finding {
  readonly check: string;
  /**
   * A `fault` must be fixed, while a `warning` can wait. `skipped` means that the check couldn't run because of another
   * finding.
   */
  readonly state: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly found: string;
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

/** Returns a short reason with any credentials masked. */
export function describeError(error: unknown): string {
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return 'no response';
  const known = connectionProblem(error);
  if (known) return known;
  const message = error instanceof Error ? error.message : String(error);
  return maskCredentials(message).replace(/\.$/, '');
}

export function asDocument(findings: readonly Finding[]): object {
  return { healthy: isHealthy(findings), checks: findings };
}

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
  const skippedChecks = count('skipped') === 0 ? '' : ` Skipped checks: ${count('skipped')}.`;
  return `Faults: ${count('fault')}.${warnings}${skippedChecks}`;
}

/** Replaces control characters, so that text from a server can't control the terminal. */
function asLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

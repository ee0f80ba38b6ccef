import type { Finding } from './finding.js';

/** As `--json` prints it: `healthy` is false when something must be mended. */
export function asDocument(findings: readonly Finding[]): object {
  return {
    healthy: isHealthy(findings),
    checks: findings.map((finding) => ({
      check: finding.check,
      state: finding.state,
      found: finding.found,
      mend: 'mend' in finding ? finding.mend : null,
    })),
  };
}

/** For people: one line a check, and under what is not as it should be what to do. */
export function asList(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap((finding) => {
    const line = `${finding.state.padEnd(7)}  ${finding.check.padEnd(width)}  ${asLine(finding.found)}`;
    return 'mend' in finding ? [line, `${' '.repeat(width + 11)}→ ${asLine(finding.mend)}`] : [line];
  });
  return [...lines, '', conclusion(findings)].join('\n');
}

export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state !== 'fault');
}

function conclusion(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const warnings = count('warning') === 0 ? '' : ` Warnings: ${count('warning')}.`;
  if (isHealthy(findings)) return `Nothing must be mended.${warnings}`;
  const skippedLooks = count('skipped') === 0 ? '' : ` Not checked because of it: ${count('skipped')}.`;
  return `To be mended: ${count('fault')}.${warnings}${skippedLooks}`;
}

/** Whatever a server said cannot move the cursor. */
function asLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

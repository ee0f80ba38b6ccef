import path from 'node:path';
import { run } from './processes.mjs';
import { proseProblems, trackedSources } from './prose.mjs';
import { root } from './root.mjs';

const bin = (name) => path.join(root, 'node_modules', '.bin', name);

const checks = [
  { name: 'format and lint', command: bin('biome'), args: ['check', '.'] },
  {
    name: 'layers',
    command: bin('depcruise'),
    args: ['--config', '.dependency-cruiser.cjs', 'packages', 'services', 'tools', 'tests'],
  },
  { name: 'unused code', command: bin('knip'), args: [] },
  {
    name: 'docs/openapi.json is up to date',
    command: process.execPath,
    args: ['packages/contracts/dist/openapi/write-main.js', '--check'],
  },
  {
    name: 'docs/metrics.md and docs/logs.md are up to date',
    command: process.execPath,
    args: ['tools/metrics/dist/write-main.js', '--check'],
  },
  {
    name: 'docs/openapi.json is valid',
    command: bin('redocly'),
    args: ['lint', 'docs/openapi.json'],
    env: { REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' },
  },
];

/**
 * Prints one line per check, and the output of failed ones.
 * @returns {Promise<number>} the exit code
 */
export async function runChecks() {
  const results = await Promise.all(
    checks.map(async (check) => ({ ...check, ...(await run(check.command, check.args, { env: check.env })) })),
  );
  const problems = proseProblems(trackedSources());
  results.push({ name: 'language', failed: problems.length > 0, output: problems.join('\n') });
  for (const { name, failed, output } of results) {
    if (failed) process.stderr.write(`${output.trimEnd()}\n`);
    process.stderr.write(`${failed ? '✗' : '✓'} ${name}\n`);
  }
  return results.some((result) => result.failed) ? 1 : 0;
}

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readMetricDefinitions } from './definitions-in-sources.js';
import { metricsPage } from './table.js';

/** `pnpm metrics` writes docs/metrics.md; `pnpm metrics --check` refuses one that is not what the sources say. */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const file = `${root}docs/metrics.md`;
const page = metricsPage(await readMetricDefinitions(root));

if (process.argv.includes('--check')) {
  const committed = await readFile(file, 'utf8').catch(() => '');
  if (committed !== page) {
    process.stderr.write('docs/metrics.md is not what the sources say; run "pnpm metrics".\n');
    process.exitCode = 1;
  }
} else {
  await writeFile(file, page);
}

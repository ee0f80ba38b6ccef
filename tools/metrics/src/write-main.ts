import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type MetricDefinition, readMetricDefinitions } from './metric-definitions.js';

const introduction = `# Metrics

Every process reports its metrics at \`/metrics\` on its operations port (\`OPS_PORT\`), and every series carries the label
\`service\`. \`pnpm metrics\` writes this page from the sources; \`npm run check\` refuses one that is not what they say.

Names are kept: a metric that is to mean something else gets another name. A histogram stands for its three series
(\`_bucket\`, \`_sum\`, \`_count\`). What is read from PostgreSQL or Redis has no series while that is away, so that no old
value stands for the present.

Besides these, every process reports prom-client's own \`process_…\` and \`nodejs_…\` metrics: CPU, memory, file descriptors,
event-loop lag, garbage collection. [k8s/monitoring](../k8s/monitoring) has rules, alerts and dashboards made of all of
them, [runbooks](runbooks) what to do about each alert.
`;

/** The whole page. */
function metricsPage(definitions: readonly MetricDefinition[]): string {
  const groups = new Map<string, MetricDefinition[]>();
  for (const definition of definitions) {
    const group = definition.services.length > 1 ? 'several services' : (definition.services[0] ?? 'no service');
    groups.set(group, [...(groups.get(group) ?? []), definition]);
  }
  const sections = [...groups.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, members]) => section(group, members));
  return [introduction, ...sections].join('\n');
}

function section(group: string, definitions: readonly MetricDefinition[]): string {
  const several = definitions.some(({ services }) => services.length > 1);
  const columns = ['metric', 'type', 'labels', ...(several ? ['reported by'] : []), 'meaning'];
  const rows = definitions.map(({ name, type, labels, services, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    ...(several ? [services.join(', ')] : []),
    help.replaceAll('|', '\\|'),
  ]);
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `## ${group}\n\n${lines.join('\n')}\n`;
}

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

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type MetricDefinition, readMetricDefinitions } from './metric-definitions.js';

const introduction = `# Metrics

Every process serves its metrics at \`/metrics\` on its operations port (\`OPS_PORT\`). Every series has the label \`service\`.
\`pnpm metrics\` generates this page from the sources, and \`npm run check\` fails if the page is outdated.

A name keeps its meaning: a metric with another meaning gets another name. A histogram has three series (\`_bucket\`, \`_sum\`,
\`_count\`). A metric that is read from PostgreSQL or Redis has no series while that is down, so that no outdated value appears.

Every process also reports the \`process_…\` and \`nodejs_…\` metrics of prom-client: CPU, memory, file descriptors, event-loop lag
and garbage collection. [k8s/monitoring](../k8s/monitoring) contains rules, alerts and dashboards for all of them; the
[runbooks](runbooks) cover each alert.
`;

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

/** `pnpm metrics` writes docs/metrics.md; `pnpm metrics --check` fails if it is outdated. */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const file = `${root}docs/metrics.md`;
const page = metricsPage(await readMetricDefinitions(root));

if (process.argv.includes('--check')) {
  const committed = await readFile(file, 'utf8').catch(() => '');
  if (committed !== page) {
    process.stderr.write('docs/metrics.md is outdated. Run "pnpm metrics".\n');
    process.exitCode = 1;
  }
} else {
  await writeFile(file, page);
}

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type LogEvent, readLogEvents } from './log-events.js';
import { findRunners, type MetricDefinition, readMetricDefinitions, readSources } from './metric-definitions.js';

const introduction = `# Metrics

Every process serves its metrics at \`/metrics\` on its operations port (\`OPS_PORT\`). Every series has the label \`service\`.
\`pnpm metrics\` generates this page from the sources, and \`npm run check\` fails if the page is outdated.

If the meaning of a metric changes, its name changes too. A histogram has three series (\`_bucket\`, \`_sum\`, \`_count\`). While
PostgreSQL or Redis is down, metrics that are read from it have no series, so no outdated value appears.

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
    ...(several ? [listed(services)] : []),
    help.replaceAll('|', '\\|'),
  ]);
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `## ${group}\n\n${lines.join('\n')}\n`;
}

const SERVICES = ['api', 'change-ingest', 'dashboard', 'egress-proxy', 'webhook-worker'];

function listed(services: readonly string[]): string {
  const others = SERVICES.filter((service) => !services.includes(service));
  if (others.length > 1) return services.join(', ');
  return others[0] ? `all except ${others[0]}` : 'all';
}

function logsPage(events: readonly LogEvent[]): string {
  const rows = events.map(({ code, levels, services, meaning }) => [
    `\`${code}\``,
    levels.join(', '),
    listed(services),
    meaning,
  ]);
  const columns = ['event', 'level', 'service', 'meaning'];
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${logsIntroduction}\n${lines.join('\n')}\n`;
}

const logsIntroduction = `# Log events

Every service writes one line of JSON per unit of work to standard output: \`time\`, \`level\`, \`service\`, \`event\`, and further
[fields](reference/service.md#logs). \`LOG_LEVEL\` is the lowest level that is written. \`pnpm metrics\` generates this page from the
sources, and \`npm run check\` fails if the page is outdated or an event has no meaning here.

The code of an event never changes. If an event has several levels, the level of a line depends on the result or on the service.
Some events are logged at most once every 10 s. Their \`suppressed\` is the number of lines omitted since the previous one.
`;

/** `pnpm metrics` writes docs/metrics.md and docs/logs.md. With `--check`, it fails if a page is outdated. */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = await readSources(root);
const pages = {
  'docs/metrics.md': metricsPage(await readMetricDefinitions(root)),
  'docs/logs.md': logsPage(readLogEvents(sources, findRunners(sources))),
};

for (const [file, page] of Object.entries(pages)) {
  if (!process.argv.includes('--check')) {
    await writeFile(root + file, page);
  } else if ((await readFile(root + file, 'utf8').catch(() => '')) !== page) {
    process.stderr.write(`${file} is outdated. Run "pnpm metrics".\n`);
    process.exitCode = 1;
  }
}

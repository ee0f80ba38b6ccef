import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { type Rule, type RuleFile, readRuleFiles } from './alert-rules.js';
import { inNamespace, MINUTES, NAMESPACE, type Scenario, type SeriesValues, seriesOf } from './alert-scenarios.js';
import { findProgram } from './find-program.js';

const run = promisify(execFile);

/** Debian's package `prometheus` contains promtool. */
export const promtool = findProgram('promtool');

/** @throws Error with promtool's message if a rule or an expression is invalid. */
export async function checkRules(expressions: readonly string[]): Promise<void> {
  const rules = expressions.map((expr, index) => ({ record: `expression_${index}`, expr }));
  const files = new Map([...readRuleFiles(), ['expressions.yaml', { groups: [{ name: 'expressions', rules }] }]]);
  await inFiles(files, (paths) => run(promtool ?? '', ['check', 'rules', ...paths]));
}

/**
 * Runs all scenarios in one Prometheus, because the cost of a rule hardly depends on the number of series.
 * @throws Error with promtool's message about missing and unexpected alerts, by scenario.
 */
export async function playScenarios(scenarios: readonly Scenario[]): Promise<void> {
  const rules = new Map([...readRuleFiles()].map(([name, file]) => [name, installedFor(scenarios, file)] as const));
  const test = {
    interval: '1m',
    input_series: scenarios.flatMap((scenario) =>
      seriesOf(scenario).map(([series, values]) => ({ series: ofScenario(scenario, series), values })),
    ),
    promql_expr_test: [...scenarios.map(expectationOf), { ...firing(`namespace!~".+ in: .+"`), exp_samples: [] }],
  };
  const scenarioFile = { rule_files: [...rules.keys()], evaluation_interval: '1m', tests: [test] };
  await inFiles(new Map<string, object>([['scenarios.yaml', scenarioFile], ...rules]), ([file = '']) =>
    run(promtool ?? '', ['test', 'rules', file]),
  );
}

/** Each scenario gets a copy of the installation's recording rule. */
function installedFor(scenarios: readonly Scenario[], { groups }: RuleFile): RuleFile {
  const installed = (rule: Rule) =>
    rule.labels?.namespace === NAMESPACE
      ? scenarios.map((scenario) => ({ ...rule, labels: { ...rule.labels, namespace: namespaceIn(scenario) } }))
      : [rule];
  return { groups: groups.map((group) => ({ ...group, rules: group.rules.flatMap(installed) })) };
}

const namespaceIn = ({ name }: Scenario, namespace = NAMESPACE) => `${namespace} in: ${name}`;

function ofScenario(scenario: Scenario, series: string): string {
  return series.replace(/namespace="([^"]+)"/, (_, namespace) => `namespace="${namespaceIn(scenario, namespace)}"`);
}

const firing = (selector: string) => ({
  expr: `ALERTS{alertstate="firing", ${selector}}`,
  eval_time: `${MINUTES}m`,
});

function expectationOf(scenario: Scenario) {
  return {
    ...firing(`namespace=~".+ in: ${scenario.name}"`),
    exp_samples: scenario.fires.map((labels) => ({
      labels: `ALERTS{${Object.entries({ namespace: namespaceIn(scenario), ...labels, alertstate: 'firing' })
        .map(([name, value]) => `${name}="${value}"`)
        .join(', ')}}`,
      value: 1,
    })),
  };
}

/** @throws Error with promtool's message if an expression has a different value after two minutes. */
export async function expectValues(
  series: SeriesValues,
  expected: readonly (readonly [expr: string, value: number])[],
): Promise<void> {
  const test = {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: inNamespace(name, NAMESPACE), values })),
    promql_expr_test: expected.map(([expr, value]) => ({
      expr,
      eval_time: '2m',
      exp_samples: [{ labels: '{}', value }],
    })),
  };
  await inFiles(new Map<string, object>([['values.yaml', { rule_files: [], tests: [test] }]]), ([file = '']) =>
    run(promtool ?? '', ['test', 'rules', file]),
  );
}

async function inFiles(
  contents: ReadonlyMap<string, object>,
  work: (paths: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-promtool-'));
  try {
    const paths = [...contents.keys()].map((name) => path.join(directory, name));
    await Promise.all(
      [...contents.values()].map((content, index) => writeFile(paths[index] ?? '', stringify(content))),
    );
    await work(paths);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

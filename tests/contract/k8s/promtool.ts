import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { readRuleFiles } from './alert-rules.js';
import { inNamespace, MINUTES, NAMESPACE, type Scenario, type SeriesValues, seriesOf } from './alert-scenarios.js';
import { findProgram } from './find-program.js';

const run = promisify(execFile);

/** Of Debian's package `prometheus`; undefined on a machine without it. */
export const promtool = findProgram('promtool');

/** @throws with what promtool says is wrong with the rules, or with an expression. */
export async function checkRules(expressions: readonly string[]): Promise<void> {
  const rules = expressions.map((expr, index) => ({ record: `expression_${index}`, expr }));
  const files = new Map([...readRuleFiles(), ['expressions.yaml', { groups: [{ name: 'expressions', rules }] }]]);
  await inFiles(files, (paths) => run(promtool ?? '', ['check', 'rules', ...paths]));
}

/** All in one run of promtool. @throws with what it says fires and should not, or should and does not, by scenario. */
export async function playScenarios(scenarios: readonly Scenario[]): Promise<void> {
  const rules = readRuleFiles();
  const scenarioFile = { rule_files: [...rules.keys()], evaluation_interval: '1m', tests: scenarios.map(testOf) };
  await inFiles(new Map<string, object>([['scenarios.yaml', scenarioFile], ...rules]), ([file = '']) =>
    run(promtool ?? '', ['test', 'rules', file]),
  );
}

function testOf(scenario: Scenario) {
  return {
    name: scenario.name,
    interval: '1m',
    input_series: seriesOf(scenario).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: 'ALERTS{alertstate="firing"}',
        eval_time: `${MINUTES}m`,
        exp_samples: scenario.fires.map((labels) => ({
          labels: `ALERTS{${Object.entries({ namespace: NAMESPACE, ...labels, alertstate: 'firing' })
            .map(([name, value]) => `${name}="${value}"`)
            .join(', ')}}`,
          value: 1,
        })),
      },
    ],
  };
}

/** @throws with what promtool says an expression is after two minutes, where that is another value. */
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

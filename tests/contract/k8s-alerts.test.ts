import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { firingAlerts, readRuleFiles, readRules, STEP_SECONDS } from './k8s/alert-rules.js';
import { MINUTES, scenarios, seriesOf } from './k8s/alert-scenarios.js';
import { findProgram } from './k8s/find-program.js';
import { type Labels, labelKey, readSeries } from './k8s/promql/series.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const promtool = findProgram('promtool');

const sorted = (alerts: readonly Labels[]) => alerts.map(labelKey).sort();

describe('alerts', () => {
  test.each(scenarios)('with $name exactly what should fire does', (scenario) => {
    const series = seriesOf(scenario).map(([notation, values]) => readSeries(notation, values, STEP_SECONDS));
    expect(sorted(firingAlerts(series, MINUTES * STEP_SECONDS))).toEqual(sorted(scenario.fires));
  });

  test('each can be made to fire', () => {
    const fired = new Set(
      scenarios.flatMap(({ fires }) => fires.map((labels) => `${labels.alertname} ${labels.severity}`)),
    );
    const defined = readRules().alerts.map((rule) => `${rule.alert} ${rule.labels?.severity}`);
    expect(defined.filter((alert) => !fired.has(alert))).toEqual([]);
  });

  test('each stands in the list of the runbooks, beside its page, and on the page itself', () => {
    const list = readFileSync(path.join(root, 'docs/runbooks/README.md'), 'utf8').split('\n');
    for (const { alert, annotations } of readRules().alerts) {
      const page = annotations?.runbook ?? '';
      const rows = list.filter((line) => line.startsWith('|') && line.includes(`\`${alert}\``));
      expect([alert, rows]).toEqual([alert, [expect.stringContaining(`(${path.basename(page)})`)]]);
      expect([alert, readFileSync(path.join(root, page), 'utf8')]).toEqual([
        alert,
        expect.stringContaining(`\`${alert}\``),
      ]);
    }
  });

  test('each says how bad it is, what happens, and which page says what to do', () => {
    for (const { alert, labels, annotations } of readRules().alerts) {
      expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(page|ticket)$/)]);
      expect([alert, annotations?.summary, annotations?.description]).toEqual([
        alert,
        expect.stringMatching(/.{10}/),
        expect.stringMatching(/.{20}/),
      ]);
      const runbook = annotations?.runbook ?? '';
      expect([alert, runbook, existsSync(path.join(root, runbook))]).toEqual([
        alert,
        expect.stringMatching(/^docs\/runbooks\/[a-z-]+\.md$/),
        true,
      ]);
    }
  });

  // The evaluator of these tests is ours; where Prometheus' own is installed, it must say the same.
  (promtool ? test : test.skip)('Prometheus itself takes every rule, and agrees about every scenario', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-alerts-'));
    try {
      const files = [...readRuleFiles()];
      for (const [file, rules] of files) await writeFile(path.join(directory, file), stringify(rules));
      const tests = path.join(directory, 'scenarios.yaml');
      await writeFile(tests, stringify(promtoolTests(files.map(([file]) => file))));
      await run(promtool ?? '', ['check', 'rules', ...files.map(([file]) => path.join(directory, file))]);
      await run(promtool ?? '', ['test', 'rules', tests]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

function promtoolTests(ruleFiles: readonly string[]) {
  return {
    rule_files: ruleFiles,
    evaluation_interval: `${STEP_SECONDS}s`,
    tests: scenarios.map((scenario) => ({
      name: scenario.name,
      interval: `${STEP_SECONDS}s`,
      input_series: seriesOf(scenario).map(([series, values]) => ({ series, values })),
      promql_expr_test: [
        {
          expr: 'ALERTS{alertstate="firing"}',
          eval_time: `${MINUTES}m`,
          exp_samples: scenario.fires.map((labels) => ({
            labels: `ALERTS{${Object.entries({ ...labels, alertstate: 'firing' })
              .map(([name, value]) => `${name}="${value}"`)
              .join(', ')}}`,
            value: 1,
          })),
        },
      ],
    })),
  };
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { readRules } from './k8s/alert-rules.js';
import { scenarios } from './k8s/alert-scenarios.js';
import { playScenarios, promtool } from './k8s/promtool.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
describe('alerts', () => {
  (promtool ? test : test.skip)('each scenario fires exactly its expected alerts', () => playScenarios(scenarios));

  test('each alert fires in at least one scenario', () => {
    const fired = new Set(
      scenarios.flatMap(({ fires }) => fires.map((labels) => `${labels.alertname} ${labels.severity}`)),
    );
    const defined = readRules().alerts.map((rule) => `${rule.alert} ${rule.labels?.severity}`);
    expect(defined.filter((alert) => !fired.has(alert))).toEqual([]);
  });

  test('each alert is named in the list of runbooks, next to the link to its page, and on that page', () => {
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

  test('each alert has a severity, a summary, a description and a runbook', () => {
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
      // The overlay adds the host (k8s/overlays/production/monitoring).
      expect([alert, annotations?.runbook_url]).toEqual([
        alert,
        `https://docs.artist-watch.example/${runbook.replace('docs/', '')}`,
      ]);
    }
  });

  test('each alert concerns one namespace: no expression aggregates or tests for absence across namespaces', () => {
    for (const { expr } of [...readRules().alerts, ...readRules().recordings]) {
      expect(expr).not.toMatch(/\babsent\(/);
      expect(expr.match(/\b(?:sum|max|min|avg|count) (?!by \(namespace\b)/g) ?? []).toEqual([]);
      expect(expr.match(/\b(?:sum|max|min|avg|count)\(/g) ?? []).toEqual([]);
    }
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { evaluateVector, type Storage } from './promql/evaluate.js';
import { type Labels, labelKey, type Series } from './promql/series.js';
import { parsePromql, seconds } from './promql/syntax.js';

export const MONITORING = fileURLToPath(new URL('../../../k8s/monitoring/', import.meta.url));

export interface Rule {
  readonly expr: string;
  readonly record?: string;
  readonly alert?: string;
  readonly for?: string;
  readonly labels?: Labels;
  readonly annotations?: { readonly summary?: string; readonly description?: string; readonly runbook?: string };
}

export type RecordingRule = Rule & { readonly record: string };
export type AlertRule = Rule & { readonly alert: string };

export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** The rule files of k8s/monitoring by name, without what the Prometheus operator wraps them in. */
export function readRuleFiles(): ReadonlyMap<string, RuleFile> {
  const directory = path.join(MONITORING, 'rules');
  return new Map(
    readdirSync(directory).map((file) => {
      const { spec } = parse(readFileSync(path.join(directory, file), 'utf8')) as { readonly spec: RuleFile };
      return [file, spec] as const;
    }),
  );
}

export function readRules(): { readonly recordings: readonly RecordingRule[]; readonly alerts: readonly AlertRule[] } {
  const rules = [...readRuleFiles().values()].flatMap(({ groups }) => groups.flatMap((group) => group.rules));
  return {
    recordings: rules.filter((rule): rule is RecordingRule => rule.record !== undefined),
    alerts: rules.filter((rule): rule is AlertRule => rule.alert !== undefined),
  };
}

export const STEP_SECONDS = 60;

/** The labels of each alert that fires at an instant, `alertname` among them, on the given series. */
export function firingAlerts(input: readonly ({ readonly name: string } & Series)[], at: number): Labels[] {
  const { recordings, alerts } = readRules();
  const storage = withRecordings(input, recordings);
  return alerts.flatMap((rule) => {
    const expression = parsePromql(rule.expr);
    const since = rule.for ? at - seconds(rule.for) : at;
    let held: Map<string, Labels> | undefined;
    for (let instant = at; instant >= since; instant -= STEP_SECONDS) {
      const now = new Map(evaluateVector(expression, storage, instant).map(({ labels }) => [labelKey(labels), labels]));
      held = new Map([...(held ?? now)].filter(([key]) => now.has(key)));
    }
    return [...(held?.values() ?? [])].map((labels) => ({ ...labels, ...rule.labels, alertname: rule.alert }));
  });
}

/** Series as they are, and those that the recording rules make of them, evaluated when somebody asks. */
function withRecordings(
  input: readonly ({ readonly name: string } & Series)[],
  recordings: readonly RecordingRule[],
): Storage {
  const expressions = new Map(recordings.map((rule) => [rule.record, parsePromql(rule.expr)]));
  const known = new Map<string, ReturnType<typeof evaluateVector>>();
  const storage: Storage = {
    series(name, from, to) {
      const expression = expressions.get(name);
      if (!expression) {
        return input
          .filter((series) => series.name === name)
          .map(({ labels, points }) => ({ labels, points: points.filter(({ at }) => at > from && at <= to) }));
      }
      const bySeries = new Map<string, { labels: Labels; points: { at: number; value: number }[] }>();
      const first = Math.max(0, Math.floor(from / STEP_SECONDS + 1) * STEP_SECONDS);
      for (let at = first; at <= to; at += STEP_SECONDS) {
        const key = `${name} ${at}`;
        const samples = known.get(key) ?? evaluateVector(expression, storage, at);
        known.set(key, samples);
        for (const { labels, value } of samples) {
          const series = bySeries.get(labelKey(labels)) ?? { labels, points: [] };
          series.points.push({ at, value });
          bySeries.set(labelKey(labels), series);
        }
      }
      return [...bySeries.values()];
    },
  };
  return storage;
}

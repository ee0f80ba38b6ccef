import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Labels } from './manifests.js';

export const MONITORING = fileURLToPath(new URL('../../../k8s/monitoring/', import.meta.url));

export interface Rule {
  readonly expr: string;
  readonly record?: string;
  readonly alert?: string;
  readonly for?: string;
  readonly labels?: Labels;
  readonly annotations?: {
    readonly summary?: string;
    readonly description?: string;
    readonly runbook?: string;
    readonly runbook_url?: string;
  };
}

export type RecordingRule = Rule & { readonly record: string };
export type AlertRule = Rule & { readonly alert: string };

export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** Clusters must meet the requirements of these components. */
export const COMPONENTS = ['kube-state', 'probe'] as const;

/** Paths are relative to k8s/monitoring. */
export const ruleFiles: readonly string[] = [
  ...readdirSync(path.join(MONITORING, 'rules')).map((file) => `rules/${file}`),
  ...COMPONENTS.map((component) => `${component}/rules.yaml`),
];

/** Keys have no directory, and files lack the Prometheus operator's wrapper. */
export function readRuleFiles(): ReadonlyMap<string, RuleFile> {
  return new Map(
    ruleFiles.map((file) => {
      const { spec } = parse(readFileSync(path.join(MONITORING, file), 'utf8')) as { readonly spec: RuleFile };
      return [file.replace('/', '-'), spec] as const;
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

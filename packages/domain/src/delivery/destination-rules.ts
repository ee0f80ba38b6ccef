import { type Severity, severityRank } from '../change/change-types.js';

/** Which changes a destination lets through (docs/reference/webhooks.md). */
export interface DestinationRules {
  /** The least grave severity that passes; null for every one. */
  readonly minSeverity: Severity | null;
  /** Empty for every type. */
  readonly changeTypes: readonly string[];
  /** Empty for every artist that the account watches. */
  readonly artistIds: readonly string[];
}

export const LET_ALL_THROUGH: DestinationRules = { minSeverity: null, changeTypes: [], artistIds: [] };

export interface RuledChange {
  readonly type: string;
  readonly severity: Severity;
  readonly artistId: string;
}

/** AND between the three rules, OR within one. */
export function letsThrough(rules: DestinationRules, change: RuledChange): boolean {
  return (
    (rules.minSeverity === null || severityRank(change.severity) <= severityRank(rules.minSeverity)) &&
    (rules.changeTypes.length === 0 || rules.changeTypes.includes(change.type)) &&
    (rules.artistIds.length === 0 || rules.artistIds.includes(change.artistId))
  );
}

import { type Severity, severityRank } from '@artist-watch/domain/change/change-types';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';

/** The SQL of fan-out and preview must have the same result: AND between the three rules, OR within one. */
export function letsThrough(
  rules: DestinationRules,
  change: { readonly type: string; readonly severity: Severity; readonly artistId: string },
): boolean {
  return (
    (rules.minSeverity === null || severityRank(change.severity) <= severityRank(rules.minSeverity)) &&
    (rules.changeTypes.length === 0 || rules.changeTypes.includes(change.type)) &&
    (rules.artistIds.length === 0 || rules.artistIds.includes(change.artistId))
  );
}

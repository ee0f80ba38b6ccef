import { type Severity, severityRank } from '@artist-watch/domain/change/change-types';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';

/** The SQL of fan-out and preview must have the same result: AND between the rules, OR within one, and between artists and groups. */
export function letsThrough(
  rules: DestinationRules,
  change: { readonly type: string; readonly severity: Severity; readonly artistId: string },
  groupOf: (artistId: string) => string,
): boolean {
  const { artistIds, groupIds } = rules;
  return (
    (rules.minSeverity === null || severityRank(change.severity) <= severityRank(rules.minSeverity)) &&
    (rules.changeTypes.length === 0 || rules.changeTypes.includes(change.type)) &&
    (artistIds.length + groupIds.length === 0 ||
      artistIds.includes(change.artistId) ||
      groupIds.includes(groupOf(change.artistId)))
  );
}

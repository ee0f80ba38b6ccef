import { type Severity, severityRank } from '@artist-watch/domain/change/change-types';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';

interface JudgedDestination {
  readonly createdAt: Date;
  readonly isPausedByPlan: boolean;
  readonly rules: DestinationRules;
}

interface JudgedChange {
  readonly type: string;
  readonly severity: Severity;
  readonly artistId: string;
  readonly confirmedAt: Date;
}

/** Why a change was not sent to a destination, as far as its present rules say. */
export function whyNotSent({ createdAt, isPausedByPlan, rules }: JudgedDestination, change: JudgedChange): string {
  const { minSeverity, changeTypes, artistIds } = rules;
  if (createdAt > change.confirmedAt) return 'The destination was created after this change was confirmed.';
  if (minSeverity !== null && severityRank(change.severity) > severityRank(minSeverity)) {
    const least = minSeverity === 'critical' ? 'critical' : `${minSeverity} or graver`;
    return `Its rule asks for ${least}; this change is ${change.severity}.`;
  }
  if (changeTypes.length > 0 && !changeTypes.includes(change.type)) return 'Its rule asks for other types of change.';
  if (artistIds.length > 0 && !artistIds.includes(change.artistId)) return 'Its rule asks for other artists.';
  if (isPausedByPlan) return 'The plan of the account has no destinations.';
  return 'No delivery is on record: its rules have changed since, or the delivery is older than the record.';
}

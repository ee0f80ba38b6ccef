import type { ReportedChange } from '@artist-watch/contracts/ingest/reported-change';

export interface DistinctChanges {
  /** The first of each external id. */
  readonly distinct: readonly ReportedChange[];
  /** How many say again what an earlier one of the batch said. */
  readonly repeats: number;
  /** External ids that the batch itself tells with different contents. */
  readonly conflicts: readonly string[];
}

/** Sorts out what one batch tells more than once. */
export function distinctChanges(changes: readonly ReportedChange[]): DistinctChanges {
  const firsts = new Map<string, ReportedChange>();
  const conflicts = new Set<string>();
  for (const change of changes) {
    const first = firsts.get(change.externalId);
    if (!first) firsts.set(change.externalId, change);
    else if (Buffer.compare(first.digest, change.digest) !== 0) conflicts.add(change.externalId);
  }
  return { distinct: [...firsts.values()], repeats: changes.length - firsts.size, conflicts: [...conflicts] };
}

import type { ToldChange } from '@artist-watch/contracts/ingest/told-change';

export interface DistinctChanges {
  /** The first of each external id. */
  readonly distinct: readonly ToldChange[];
  /** How many say again what an earlier one of the batch said. */
  readonly repeats: number;
  /** External ids that the batch itself tells with different contents. */
  readonly conflicts: readonly string[];
}

/** Sorts out what one batch tells more than once. */
export function distinctChanges(changes: readonly ToldChange[]): DistinctChanges {
  const firsts = new Map<string, ToldChange>();
  const conflicts = new Set<string>();
  for (const change of changes) {
    const first = firsts.get(change.externalId);
    if (!first) firsts.set(change.externalId, change);
    else if (Buffer.compare(first.digest, change.digest) !== 0) conflicts.add(change.externalId);
  }
  return { distinct: [...firsts.values()], repeats: changes.length - firsts.size, conflicts: [...conflicts] };
}

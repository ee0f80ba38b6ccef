import type { Observation } from '@artist-watch/domain/catalogue';
import type { Advance } from '@artist-watch/domain/detection/confirmation';
import type { Difference } from '@artist-watch/domain/difference';
import type { SnapshotContent } from './settlement.js';

/** In between, only what differs is kept. */
const FULL_SNAPSHOT_EVERY_MS = 7 * 86_400_000;

/**
 * What is kept of a compared observation: nothing when it says the same as the one before.
 *
 * @param lastFullAt when a whole catalogue was kept last.
 */
export function changedContent(
  differences: readonly Difference[],
  { opened, confirmed, dismissed }: Advance,
  observation: Observation,
  lastFullAt: Date | null,
): SnapshotContent | null {
  if (opened.length + confirmed.length + dismissed.length === 0) return null;
  if (observation.kind !== 'complete') return { kind: 'artist_gone' };
  const isFullDue =
    lastFullAt === null || observation.observedAt.getTime() - lastFullAt.getTime() >= FULL_SNAPSHOT_EVERY_MS;
  return isFullDue ? { kind: 'catalogue', catalogue: observation.state } : { kind: 'differences', differences };
}

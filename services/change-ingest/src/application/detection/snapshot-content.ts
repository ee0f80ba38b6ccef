import type { Observation } from '@artist-watch/domain/catalogue';
import type { Advance } from '@artist-watch/domain/detection/confirmation';
import type { Difference } from '@artist-watch/domain/difference';
import type { SnapshotContent } from './settlement.js';

/** In between, only what differs is kept. */
const FULL_SNAPSHOT_EVERY_MS = 7 * 86_400_000;

/**
 * What is kept of a compared observation: nothing when it has no bearing on anything.
 *
 * @param lastFullAt when a whole catalogue was kept last.
 */
export function changedContent(
  differences: readonly Difference[],
  { opened, strengthened, noted, confirmed, dismissed }: Advance,
  observation: Observation,
  lastFullAt: Date | null,
): SnapshotContent | null {
  if ([opened, strengthened, noted, confirmed, dismissed].every((suspicions) => suspicions.length === 0)) return null;
  if (observation.kind !== 'complete') return { kind: 'artist_gone' };
  const isFullDue =
    lastFullAt === null || observation.observedAt.getTime() - lastFullAt.getTime() >= FULL_SNAPSHOT_EVERY_MS;
  return isFullDue ? { kind: 'catalogue', catalogue: observation.state } : { kind: 'differences', differences };
}

import type { Observation } from '@artist-watch/domain/catalogue';
import type { BaselineState } from '@artist-watch/domain/detection/baseline';
import type { Advance } from '@artist-watch/domain/detection/confirmation';
import type { ArtistWrite } from '@artist-watch/persistence/polling/settlement-writes';
import type { SnapshotWrite } from '@artist-watch/persistence/snapshot-store';
import type { IgnoredChange } from './reading.js';

/**
 * How an observation was processed: as the `baseline`; found to be `unchanged` without a comparison; `compared`; not
 * compared because it was `incomplete`; or `stale`, because one of a later time was processed before.
 */
export type SettlementKind = 'baseline' | 'unchanged' | 'compared' | 'incomplete' | 'stale';

/** What one observation makes of an artist; all of it is written in one transaction. */
export interface ReadingSettlement {
  readonly kind: SettlementKind;
  readonly observedAt: Date;
  readonly artist: Omit<ArtistWrite, 'artistId' | 'endsClaim'>;
  /** The first value of a UTC day. */
  readonly metric: { readonly followers: number; readonly monthlyListeners: number | undefined } | null;
  /** Null where it stays as it is. */
  readonly baseline: BaselineState | null;
  /** Null where it stays as it is; empty where none is known. */
  readonly digest: Buffer | null;
  readonly snapshot: SnapshotContent | null;
  /** What became of suspicions; null where nothing was compared. */
  readonly advance: Advance | null;
  /** What an operator had dismissed, and stands no longer. */
  readonly ignoredNoLonger: readonly IgnoredChange[];
}

/** What is kept of an observation. */
export type SnapshotContent = SnapshotWrite['content'];

/**
 * What is kept of a compared observation: nothing when it is relevant to no suspicion, and teaches nothing.
 *
 * @param baseline before the observation.
 */
export function relevantContent(
  baseline: BaselineState,
  step: Advance,
  observation: Exclude<Observation, { kind: 'incomplete' }>,
): SnapshotContent | null {
  const { opened, strengthened, noted, confirmed, dismissed } = step;
  const isRelevant = [opened, strengthened, noted, confirmed, dismissed].some((suspicions) => suspicions.length > 0);
  if (!isRelevant && step.baseline === baseline) return null;
  return observation.kind === 'complete'
    ? { kind: 'catalogue', catalogue: observation.state }
    : { kind: 'artist_gone' };
}

import type { JsonReader } from './json-reader.js';

export const DIRECT_READS = ['gone', 'moved', 'alive', 'unknown', 'not_asked'] as const;
export type DirectRead = (typeof DIRECT_READS)[number];

/**
 * `superseded` means that the entity now has a different change. `overtaken` means that another confirmed change ended
 * the suspicion.
 */
const DISMISSAL_REASONS = ['alive', 'back', 'superseded', 'overtaken'] as const;
export type DismissalReason = (typeof DISMISSAL_REASONS)[number];

/** `fleet` means that many artists have removals at once. */
export type BrakeKind = 'artist' | 'fleet';

/** `not_looked_at` means that the observation did not read enough detail. */
const UNCOUNTED_REASONS = ['incomplete', 'direct_read_unclear', 'not_looked_at'] as const;
export type UncountedReason = (typeof UNCOUNTED_REASONS)[number];

export interface OperatorDecision {
  readonly at: Date;
  readonly by: string;
  readonly reason: string | null;
}

export type SuspicionNote =
  /** Combines several observations. `detail` comes from the last one, and `snapshotId` from the first. */
  | {
      readonly kind: 'not_counted';
      readonly at: Date;
      readonly lastAt: Date;
      readonly times: number;
      readonly why: UncountedReason;
      readonly detail: string | null;
      readonly snapshotId: string | null;
    }
  | { readonly kind: 'held'; readonly at: Date; readonly by: BrakeKind }
  | {
      readonly kind: 'contradicted';
      readonly at: Date;
      readonly why: DismissalReason;
      readonly directRead: DirectRead;
      readonly snapshotId: string | null;
    }
  | ({ readonly kind: 'released' | 'dismissed' } & OperatorDecision)
  /** The dismissed difference has disappeared. */
  | { readonly kind: 'stands_no_longer'; readonly at: Date; readonly snapshotId: string | null };

/** @throws {UnreadableRecordError} */
export function readNote(reader: JsonReader): SuspicionNote {
  const at = reader.at('at').instant();
  const kind = reader
    .at('kind')
    .oneOf(['not_counted', 'held', 'contradicted', 'released', 'dismissed', 'stands_no_longer']);
  switch (kind) {
    case 'not_counted':
      return {
        kind,
        at,
        lastAt: reader.at('lastAt').instant(),
        times: reader.at('times').number(),
        why: reader.at('why').oneOf(UNCOUNTED_REASONS),
        detail: reader.at('detail').maybe()?.text() ?? null,
        snapshotId: reader.at('snapshotId').maybe()?.text() ?? null,
      };
    case 'held':
      return { kind, at, by: reader.at('by').oneOf(['artist', 'fleet']) };
    case 'contradicted':
      return {
        kind,
        at,
        why: reader.at('why').oneOf(DISMISSAL_REASONS),
        directRead: reader.at('directRead').oneOf(DIRECT_READS),
        snapshotId: reader.at('snapshotId').maybe()?.text() ?? null,
      };
    case 'released':
    case 'dismissed':
      return { kind, at, by: reader.at('by').text(), reason: reader.at('reason').maybe()?.text() ?? null };
    case 'stands_no_longer':
      return { kind, at, snapshotId: reader.at('snapshotId').maybe()?.text() ?? null };
  }
}

/**
 * Observations with the same reason share a note, so that a long outage doesn't create many notes.
 * @param since the last counted observation. Notes from before it are not extended.
 */
export function addUncounted(
  notes: readonly SuspicionNote[],
  reading: { at: Date; why: UncountedReason; detail: string | null; snapshotId: string | null },
  since: Date,
): readonly SuspicionNote[] {
  const { at, why, detail, snapshotId } = reading;
  const earlier = notes.find((one) => one.kind === 'not_counted' && one.why === why && one.at > since);
  if (earlier?.kind !== 'not_counted') {
    return [...notes, { kind: 'not_counted', at, lastAt: at, times: 1, why, detail, snapshotId }];
  }
  // Already noted.
  if (earlier.lastAt >= at) return notes;
  const grown = { ...earlier, detail, lastAt: at, times: earlier.times + 1 };
  return notes.map((one) => (one === earlier ? grown : one));
}

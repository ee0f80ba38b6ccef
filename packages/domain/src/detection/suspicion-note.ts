/**
 * What happened to a suspicion besides the observations that count: readings that said nothing, the brake, the reading
 * that spoke against it, an operator's decision. Together with those observations they answer "how do you know?".
 */
import { type JsonReader, readText } from './json-reading.js';

/** What the platform answered when it was asked for the very thing that is missing. */
export const DIRECT_READS = ['gone', 'moved', 'alive', 'unknown', 'not_asked'] as const;
export type DirectRead = (typeof DIRECT_READS)[number];

/**
 * `alive`: the direct read found it. `back`: the difference is gone again. `superseded`: it became another difference.
 * `overtaken`: what was confirmed meanwhile makes it moot.
 */
const DISMISSAL_REASONS = ['alive', 'back', 'superseded', 'overtaken'] as const;
export type DismissalReason = (typeof DISMISSAL_REASONS)[number];

/** Which of the two brakes holds a removal: too much of one artist is missing, or too many artists miss something. */
export type BrakeKind = 'artist' | 'fleet';

/**
 * `incomplete`: the reading was not complete. `direct_read_unclear`: the list showed it, the platform's answer about the
 * thing itself was not clear. `not_looked_at`: the reading did not go deep enough to tell.
 */
const UNCOUNTED_REASONS = ['incomplete', 'direct_read_unclear', 'not_looked_at'] as const;
export type UncountedReason = (typeof UNCOUNTED_REASONS)[number];

/** Who decided, when and why. */
export interface OperatorDecision {
  readonly at: Date;
  readonly by: string;
  readonly reason: string | null;
}

export type SuspicionNote =
  /** `times` readings from `at` to `lastAt`; `detail` is of the last one, and the snapshot of the first, which is kept. */
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
  /** The observation that spoke against it. */
  | {
      readonly kind: 'contradicted';
      readonly at: Date;
      readonly why: DismissalReason;
      readonly directRead: DirectRead;
      readonly snapshotId: string | null;
    }
  | ({ readonly kind: 'released' | 'dismissed' } & OperatorDecision)
  /** What an operator had dismissed is no longer missing: from now on it is watched as before. */
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
        detail: reader.at('detail').maybe(readText) ?? null,
        snapshotId: reader.at('snapshotId').maybe(readText) ?? null,
      };
    case 'held':
      return { kind, at, by: reader.at('by').oneOf(['artist', 'fleet']) };
    case 'contradicted':
      return {
        kind,
        at,
        why: reader.at('why').oneOf(DISMISSAL_REASONS),
        directRead: reader.at('directRead').oneOf(DIRECT_READS),
        snapshotId: reader.at('snapshotId').maybe(readText) ?? null,
      };
    case 'released':
    case 'dismissed':
      return { kind, at, by: reader.at('by').text(), reason: reader.at('reason').maybe(readText) ?? null };
    case 'stands_no_longer':
      return { kind, at, snapshotId: reader.at('snapshotId').maybe(readText) ?? null };
  }
}

/**
 * The notes with one more reading that did not count. Those for the same reason since `since`, the last observation that
 * did, are one note: a platform in trouble for a week must not make a record without end.
 */
export function withUncounted(
  notes: readonly SuspicionNote[],
  reading: { at: Date; why: UncountedReason; detail: string | null; snapshotId: string | null },
  since: Date,
): readonly SuspicionNote[] {
  const { at, why, detail, snapshotId } = reading;
  const earlier = notes.find((one) => one.kind === 'not_counted' && one.why === why && one.at > since);
  if (earlier?.kind !== 'not_counted') {
    return [...notes, { kind: 'not_counted', at, lastAt: at, times: 1, why, detail, snapshotId }];
  }
  // Noted twice, it is still one reading.
  if (earlier.lastAt >= at) return notes;
  const grown = { ...earlier, detail, lastAt: at, times: earlier.times + 1 };
  return notes.map((one) => (one === earlier ? grown : one));
}

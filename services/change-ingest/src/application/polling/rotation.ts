import { createHash } from 'node:crypto';

/**
 * A slow rotation: a wheel with a slice for each part of the releases, which the clock turns, so that every release
 * comes up once in a turn and no replica has to remember anything.
 */
export interface Rotation {
  /** One turn, in milliseconds. */
  readonly turnMs: number;
  readonly slices: number;
}

const HOUR_MS = 3_600_000;

/**
 * A slice an hour.
 *
 * @param intervalFactor POLL_INTERVAL_FACTOR, which scales this as it does the plans' intervals.
 */
export function rotationOfHours(hours: number, intervalFactor: number): Rotation {
  return { turnMs: Math.max(hours, hours * HOUR_MS * intervalFactor), slices: hours };
}

/** Slices that came up since an artist was last read completely; all of them when that never was, or a turn ago. */
export function slicesDue(
  { turnMs, slices }: Rotation,
  artistId: string,
  lastCompleteAt: Date | null,
  now: Date,
): ReadonlySet<number> {
  const sliceMs = turnMs / slices;
  // Artists stand at different places of the wheel, or all of them would be read closely at the same minute.
  const offsetMs = fractionOf(artistId) * turnMs;
  const stepAt = (instant: Date) => Math.floor((instant.getTime() + offsetMs) / sliceMs);
  const last = stepAt(now);
  const wholeTurn = last - slices + 1;
  const first = lastCompleteAt === null ? wholeTurn : Math.max(stepAt(lastCompleteAt) + 1, wholeTurn);
  const due = new Set<number>();
  for (let step = first; step <= last; step += 1) due.add(step % slices);
  return due;
}

/** The slice that a release stands in. */
export function sliceOf({ slices }: Rotation, releaseId: string): number {
  return Math.floor(fractionOf(releaseId) * slices);
}

/** 0 to 1, evenly spread, and always the same for the same text. */
export function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

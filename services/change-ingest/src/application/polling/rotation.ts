import { createHash } from 'node:crypto';

/**
 * A slow rotation over the releases of an artist. Each release belongs to one part, and the clock alone decides which
 * part is due, so every release comes up once in a turn and no replica remembers anything.
 */
export interface Rotation {
  /** One turn, in milliseconds. */
  readonly turnMs: number;
  readonly parts: number;
}

const HOUR_MS = 3_600_000;

/**
 * One part an hour.
 *
 * @param intervalFactor POLL_INTERVAL_FACTOR, which scales this as it does the plans' intervals.
 */
export function rotationOfHours(hours: number, intervalFactor: number): Rotation {
  return { turnMs: Math.max(hours, hours * HOUR_MS * intervalFactor), parts: hours };
}

/**
 * As many as come up between two readings of an artist that is read every six hours, so that its releases come up in time.
 * A reading after a longer time does not catch up on all that came up meanwhile: an artist that is read once a day would
 * cost a hundred times what its list does.
 */
const MOST_PARTS = 6;

/**
 * The parts that came up since an artist was last read completely; at most six, others at each reading.
 */
export function partsDue(
  { turnMs, parts }: Rotation,
  artistId: string,
  lastCompleteAt: Date | null,
  now: Date,
): ReadonlySet<number> {
  const partMs = turnMs / parts;
  // Artists stand at different places of the rotation, or all of them would be read closely at the same minute.
  const offsetMs = fractionOf(artistId) * turnMs;
  const stepAt = (instant: Date) => Math.floor((instant.getTime() + offsetMs) / partMs);
  const last = stepAt(now);
  const wholeTurn = last - parts + 1;
  const first = lastCompleteAt === null ? wholeTurn : Math.max(stepAt(lastCompleteAt) + 1, wholeTurn);
  const steps = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return new Set(someOf(steps, artistId).map((step) => step % parts));
}

function someOf(steps: readonly number[], artistId: string): readonly number[] {
  if (steps.length <= MOST_PARTS) return steps;
  const places = new Map(steps.map((step) => [step, fractionOf(`${artistId} ${step}`)]));
  return steps.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)).slice(0, MOST_PARTS);
}

/** The part that a release belongs to. */
export function partOf({ parts }: Rotation, releaseId: string): number {
  return Math.floor(fractionOf(releaseId) * parts);
}

/** 0 to 1, evenly spread, and always the same for the same text. */
export function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

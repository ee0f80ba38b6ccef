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

/**
 * A reading after a long time does not catch up on all that came up meanwhile: an artist that is read once a day would
 * cost a hundred times what its list does.
 */
const MOST_SLICES = 4;

/**
 * Slices that came up since an artist was last read completely; some of them where there are many, others each time.
 */
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
  const steps = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return new Set(someOf(steps, artistId).map((step) => step % slices));
}

function someOf(steps: readonly number[], artistId: string): readonly number[] {
  if (steps.length <= MOST_SLICES) return steps;
  const places = new Map(steps.map((step) => [step, fractionOf(`${artistId} ${step}`)]));
  return steps.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)).slice(0, MOST_SLICES);
}

/** The slice that a release stands in. */
export function sliceOf({ slices }: Rotation, releaseId: string): number {
  return Math.floor(fractionOf(releaseId) * slices);
}

/** 0 to 1, evenly spread, and always the same for the same text. */
export function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

import { createHash } from 'node:crypto';

export interface Rotation {
  readonly cycleMs: number;
  readonly parts: number;
}

const HOUR_MS = 3_600_000;

/** @param intervalFactor POLL_INTERVAL_FACTOR, which also scales the cycle. */
export function rotationOfHours(hours: number, intervalFactor: number): Rotation {
  return { cycleMs: Math.max(hours, hours * HOUR_MS * intervalFactor), parts: hours };
}

/**
 * At intervals of up to 6 h, no part is skipped. At longer intervals, some parts are skipped, because reading all of
 * them would cost a hundred times as much as the list.
 */
const MAX_PARTS = 6;

/** Returns the parts that became due since the last complete observation, at most MAX_PARTS. */
export function partsDue(
  { cycleMs, parts }: Rotation,
  artistId: string,
  lastCompleteAt: Date | null,
  now: Date,
): ReadonlySet<number> {
  const partMs = cycleMs / parts;
  // Without this offset, the detailed reads of all artists would be due in the same minute.
  const offsetMs = fractionOf(artistId) * cycleMs;
  const stepAt = (instant: Date) => Math.floor((instant.getTime() + offsetMs) / partMs);
  const last = stepAt(now);
  const cycleStart = last - parts + 1;
  const first = lastCompleteAt === null ? cycleStart : Math.max(stepAt(lastCompleteAt) + 1, cycleStart);
  const steps = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return new Set(sampleSteps(steps, artistId).map((step) => step % parts));
}

function sampleSteps(steps: readonly number[], artistId: string): readonly number[] {
  if (steps.length <= MAX_PARTS) return steps;
  const places = new Map(steps.map((step) => [step, fractionOf(`${artistId} ${step}`)]));
  return steps.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)).slice(0, MAX_PARTS);
}

export function partOf({ parts }: Rotation, releaseId: string): number {
  return Math.floor(fractionOf(releaseId) * parts);
}

/** Hashes a string to a number from 0 (inclusive) to 1 (exclusive). */
export function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

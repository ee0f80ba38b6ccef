import type { CloserClaim, CloserDepth, NextCloserPoll } from '@artist-watch/persistence/polling/due-artists';

/** Releases of one closer reading: some twenty requests to Deezer, so that none keeps a list reading waiting for long. */
const RELEASES: Readonly<Record<CloserDepth, number>> = { deep: 10, full: 3 };

/** A turn through all releases takes less than the plan's interval, so that late ones still end within it. */
const TURN_OF_INTERVAL = 0.8;

/** After one that came to nothing. */
const AGAIN_AFTER_MS = 60_000;

/** The releases of this reading: those that follow the place where the last one ended. */
export function releasesOfReading({ depth, after }: CloserClaim, releaseIds: readonly string[]): readonly string[] {
  const following = releaseIds.toSorted().filter((id) => after === null || id > after);
  return following.slice(0, RELEASES[depth]);
}

/**
 * Where closer readings stand after this one.
 *
 * @param releaseIds all that are known; undefined where the platform gave no usable answer.
 */
export function nextCloserReading(
  reading: CloserClaim,
  releaseIds: readonly string[] | undefined,
  now: Date,
): NextCloserPoll {
  const { after, intervalMs } = reading;
  if (releaseIds === undefined) return { at: later(now, Math.min(AGAIN_AFTER_MS, intervalMs)), after };
  const read = releasesOfReading(reading, releaseIds);
  const last = read.at(-1);
  const isEnd = last === undefined || !releaseIds.some((id) => id > last);
  const share = releaseIds.length === 0 ? 1 : read.length / releaseIds.length;
  return { at: later(now, share * TURN_OF_INTERVAL * intervalMs), after: isEnd ? null : last };
}

function later(now: Date, durationMs: number): Date {
  return new Date(now.getTime() + Math.max(1, Math.round(durationMs)));
}

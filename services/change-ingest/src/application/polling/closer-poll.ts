import type { CloserClaim, CloserDepth, NextCloserPoll } from '@artist-watch/persistence/polling/due-artists';

/** Polling this many releases takes about 20 requests to Deezer, so it hardly delays regular polls. */
const RELEASES_PER_POLL: Readonly<Record<CloserDepth, number>> = { deep: 10, full: 3 };

/**
 * Going through all releases should take this fraction of the plan's interval. The rest of the interval allows for
 * delays.
 */
const CYCLE_SHARE = 0.8;

const RETRY_AFTER_MS = 60_000;

/** Returns the next releases after the cursor `after`, ordered by id. */
export function releasesOfPoll({ depth, after }: CloserClaim, releaseIds: readonly string[]): readonly string[] {
  const following = releaseIds.toSorted().filter((id) => after === null || id > after);
  return following.slice(0, RELEASES_PER_POLL[depth]);
}

/** @param releaseIds all known releases; undefined if this poll got no usable response. */
export function nextCloserPoll(
  reading: CloserClaim,
  releaseIds: readonly string[] | undefined,
  now: Date,
): NextCloserPoll {
  const { after, intervalMs } = reading;
  if (releaseIds === undefined) return { at: later(now, Math.min(RETRY_AFTER_MS, intervalMs)), after };
  const read = releasesOfPoll(reading, releaseIds);
  const last = read.at(-1);
  const isEnd = last === undefined || !releaseIds.some((id) => id > last);
  const share = releaseIds.length === 0 ? 1 : read.length / releaseIds.length;
  return { at: later(now, share * CYCLE_SHARE * intervalMs), after: isEnd ? null : last };
}

function later(now: Date, durationMs: number): Date {
  return new Date(now.getTime() + Math.max(1, Math.round(durationMs)));
}

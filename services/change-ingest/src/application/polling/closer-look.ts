import type { LookDepth } from '@artist-watch/persistence/polling/due-artists';
import type { Look, NextLook } from './ports.js';

/** Releases of one look: some twenty requests to Deezer, so that none keeps a list reading waiting for long. */
const RELEASES: Readonly<Record<LookDepth, number>> = { deep: 10, full: 3 };

/** A turn through all releases takes less than the plan's interval, so that late looks still end within it. */
const TURN_OF_INTERVAL = 0.8;

/** After a look that came to nothing. */
const AGAIN_AFTER_MS = 60_000;

/** The releases of this look: those that follow the place where the last one ended. */
export function releasesOfLook({ depth, after }: Look, releaseIds: readonly string[]): readonly string[] {
  const following = releaseIds.toSorted().filter((id) => after === null || id > after);
  return following.slice(0, RELEASES[depth]);
}

/**
 * Where the looks stand after this one.
 *
 * @param releaseIds all that are known; undefined where the platform gave no usable answer.
 */
export function nextLook(look: Look, releaseIds: readonly string[] | undefined, now: Date): NextLook {
  const { after, intervalMs } = look;
  if (releaseIds === undefined) return { at: later(now, Math.min(AGAIN_AFTER_MS, intervalMs)), after };
  const read = releasesOfLook(look, releaseIds);
  const last = read.at(-1);
  const isEnd = last === undefined || !releaseIds.some((id) => id > last);
  const share = releaseIds.length === 0 ? 1 : read.length / releaseIds.length;
  return { at: later(now, share * TURN_OF_INTERVAL * intervalMs), after: isEnd ? null : last };
}

function later(now: Date, durationMs: number): Date {
  return new Date(now.getTime() + Math.max(1, Math.round(durationMs)));
}

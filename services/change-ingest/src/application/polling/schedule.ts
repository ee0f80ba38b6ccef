/** When an artist is read next. All durations in milliseconds. */

export interface ScheduleSettings {
  /** POLL_INTERVAL_FACTOR: scales the plans' intervals. */
  readonly intervalFactor: number;
  /** CONFIRM_INTERVAL: how often an artist is read of whom something is suspected. */
  readonly confirmIntervalMs: number;
}

export interface ScheduleQuestion {
  readonly now: Date;
  /** The fastest interval among the plans of those who watch the artist, before it is scaled; null: nobody does. */
  readonly planIntervalMs: number | null;
  /**
   * What the next reading is for: the usual; to confirm or dismiss what is suspected; or to learn what the first, quick
   * one of a new artist left unread.
   */
  readonly purpose: 'usual' | 'confirm' | 'learn';
  /** Polls in a row, this one included, that were not complete. */
  readonly incompletePolls: number;
  /** The platform has no such artist, or answers with another one. */
  readonly isNotFound?: boolean;
}

/** At the very same instant a second reading would be no newer than the first. */
const AT_ONCE_MS = 1;

/** The pause after a first failure; it doubles with each further one. */
const FIRST_BACK_OFF_MS = 30_000;

/**
 * The longest pause between failed readings, whatever the plan. A platform that was away for a day is asked again within
 * this time of its return, and an artist of whom most readings fail is not left for a day after each.
 */
const LONGEST_BACK_OFF_MS = 3_600_000;

/** An id that is no artist of the platform takes no place of a plan, and next to nothing of the platform's budget. */
const LONGEST_NOT_FOUND_MS = 24 * 3_600_000;

/**
 * The next reading: after the fastest plan's interval; sooner while something waits to be confirmed; after failures
 * from half a minute to an hour, ever later, so that a platform in trouble is spared.
 *
 * @returns null when nobody watches the artist.
 */
export function nextPollAt(question: ScheduleQuestion, settings: ScheduleSettings): Date | null {
  const { now, planIntervalMs, purpose, incompletePolls, isNotFound = false } = question;
  if (planIntervalMs === null) return null;
  const intervalMs = Math.max(1, Math.round(planIntervalMs * settings.intervalFactor));
  const usualMs = purpose === 'confirm' ? Math.min(intervalMs, settings.confirmIntervalMs) : intervalMs;
  if (incompletePolls > 0) {
    const scale = scaleOf(settings);
    const longestMs = isNotFound ? Math.max(usualMs, LONGEST_NOT_FOUND_MS * scale) : LONGEST_BACK_OFF_MS * scale;
    return after(now, backOffMs(incompletePolls, longestMs, settings));
  }
  return after(now, purpose === 'learn' ? AT_ONCE_MS : usualMs);
}

function backOffMs(failures: number, longestMs: number, settings: ScheduleSettings): number {
  const doubledMs = FIRST_BACK_OFF_MS * scaleOf(settings) * 2 ** Math.min(failures - 1, 20);
  return Math.max(1, Math.round(Math.min(doubledMs, longestMs)));
}

/** Where a day is run in a minute, the pauses shrink as well. */
function scaleOf({ intervalFactor }: ScheduleSettings): number {
  return Math.min(1, intervalFactor);
}

function after(now: Date, pauseMs: number): Date {
  return new Date(now.getTime() + pauseMs);
}

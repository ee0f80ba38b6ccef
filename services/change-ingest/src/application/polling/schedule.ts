/** Schedules the next poll of an artist. */

export interface ScheduleSettings {
  /** POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
  readonly intervalFactor: number;
  /** CONFIRM_INTERVAL, the poll interval while changes of the artist are suspected. */
  readonly confirmIntervalMs: number;
}

export interface ScheduleQuestion {
  readonly now: Date;
  /**
   * The shortest plan interval of the accounts that watch the artist, before scaling. Null if no account watches it.
   */
  readonly planIntervalMs: number | null;
  /**
   * The purpose of the next poll. `confirm`: confirm or dismiss suspected changes. `learn`: read the details of
   * releases that the first, quick poll of a new artist only listed.
   */
  readonly purpose: 'usual' | 'confirm' | 'learn';
  /** The number of consecutive incomplete polls, including this one. */
  readonly incompletePolls: number;
  /** True if the platform reports that the artist does not exist, or returns a different artist for its id. */
  readonly isNotFound?: boolean;
}

/**
 * The pause before an immediate poll. It is not 0, because an observation at the same instant would not be newer than
 * the first one.
 */
const IMMEDIATE_MS = 1;

/** The pause after the first failure. It doubles with each further failure. */
const FIRST_BACK_OFF_MS = 30_000;

/**
 * The longest pause after failed polls, on every plan. It limits how long polls take to resume after an outage of the
 * platform, and how long an artist waits if its polls fail often.
 */
const LONGEST_BACK_OFF_MS = 3_600_000;

/**
 * The longest pause for an artist that does not exist. Such artists do not count toward a plan, so they may use hardly
 * any of the request budget.
 */
const LONGEST_NOT_FOUND_MS = 24 * 3_600_000;

/**
 * Returns the time of the artist's next poll. This is after the interval of the fastest plan, or earlier to confirm a
 * suspected change. After failures, the pause doubles from 30 s up to 1 h (24 h if the artist does not exist), so that
 * we do not burden a failing platform.
 *
 * @returns null if no account watches the artist.
 */
export function nextPollAt(question: ScheduleQuestion, settings: ScheduleSettings): Date | null {
  const { now, planIntervalMs, purpose, incompletePolls, isNotFound = false } = question;
  if (planIntervalMs === null) return null;
  const intervalMs = Math.max(1, Math.round(planIntervalMs * settings.intervalFactor));
  const usualMs = purpose === 'confirm' ? Math.min(intervalMs, settings.confirmIntervalMs) : intervalMs;
  if (incompletePolls > 0) {
    const scale = scaleOf(settings);
    const longestMs = isNotFound ? Math.max(usualMs, LONGEST_NOT_FOUND_MS * scale) : LONGEST_BACK_OFF_MS * scale;
    return new Date(now.getTime() + backOffMs(incompletePolls, longestMs, settings));
  }
  return new Date(now.getTime() + (purpose === 'learn' ? IMMEDIATE_MS : usualMs));
}

function backOffMs(failures: number, longestMs: number, settings: ScheduleSettings): number {
  const doubledMs = FIRST_BACK_OFF_MS * scaleOf(settings) * 2 ** Math.min(failures - 1, 20);
  return Math.max(1, Math.round(Math.min(doubledMs, longestMs)));
}

/** A factor below 1, as in tests, also shortens the pauses. A factor above 1 does not lengthen them. */
function scaleOf({ intervalFactor }: ScheduleSettings): number {
  return Math.min(1, intervalFactor);
}

/** Schedules the next poll of an artist. */

export interface ScheduleSettings {
  /** POLL_INTERVAL_FACTOR: scales the plans' intervals. */
  readonly intervalFactor: number;
  /** CONFIRM_INTERVAL: poll interval while changes of the artist are suspected. */
  readonly confirmIntervalMs: number;
}

export interface ScheduleQuestion {
  readonly now: Date;
  /** Shortest plan interval among the accounts that watch the artist, unscaled; null if none does. */
  readonly planIntervalMs: number | null;
  /**
   * Purpose of the next poll. `confirm`: confirms or dismisses suspected changes. `learn`: reads the releases in depth
   * that the quick first poll of a new artist only listed.
   */
  readonly purpose: 'usual' | 'confirm' | 'learn';
  /** Consecutive incomplete polls, including this one. */
  readonly incompletePolls: number;
  /** The platform reports that the artist doesn't exist, or returns another artist for its id. */
  readonly isNotFound?: boolean;
}

/** Not 0, because an observation at the same instant would not be newer than the first one. */
const IMMEDIATE_MS = 1;

/** Pause after the first failure. It doubles with each further one. */
const FIRST_BACK_OFF_MS = 30_000;

/**
 * Longest pause after failed polls, on every plan. So polls resume within this time after a platform outage, and an
 * artist whose polls fail often doesn't wait a day after each failure.
 */
const LONGEST_BACK_OFF_MS = 3_600_000;

/** Ids without an artist on the platform don't count towards a plan, so they may use almost no request budget. */
const LONGEST_NOT_FOUND_MS = 24 * 3_600_000;

/**
 * Returns when to poll the artist next: after the fastest plan's interval, or sooner to confirm a suspected change.
 * After failures the pause doubles from 30 s up to 1 h (24 h if the artist doesn't exist), to spare a failing platform.
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
    return after(now, backOffMs(incompletePolls, longestMs, settings));
  }
  return after(now, purpose === 'learn' ? IMMEDIATE_MS : usualMs);
}

function backOffMs(failures: number, longestMs: number, settings: ScheduleSettings): number {
  const doubledMs = FIRST_BACK_OFF_MS * scaleOf(settings) * 2 ** Math.min(failures - 1, 20);
  return Math.max(1, Math.round(Math.min(doubledMs, longestMs)));
}

/** A factor below 1, as in tests, shortens the pauses too. A factor above 1 doesn't lengthen them. */
function scaleOf({ intervalFactor }: ScheduleSettings): number {
  return Math.min(1, intervalFactor);
}

function after(now: Date, pauseMs: number): Date {
  return new Date(now.getTime() + pauseMs);
}

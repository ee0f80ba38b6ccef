export interface ScheduleSettings {
  /** POLL_INTERVAL_FACTOR, which scales the plans' intervals. */
  readonly intervalFactor: number;
  readonly confirmIntervalMs: number;
}

export interface ScheduleQuestion {
  readonly now: Date;
  /**
   * The shortest interval among the watching accounts' plans, before scaling. Null if no account watches the artist.
   */
  readonly planIntervalMs: number | null;
  /** `learn`: read the details of releases that the first poll of a new artist only listed. */
  readonly purpose: 'usual' | 'confirm' | 'learn';
  readonly incompletePolls: number;
  /** Also true if the platform returns a different artist for this id. */
  readonly isNotFound?: boolean;
}

/** If this were 0, the next observation would not be newer than the first one. */
const IMMEDIATE_MS = 1;

/** The pause doubles with each further failure. */
const FIRST_BACK_OFF_MS = 30_000;

/** Limits how long it takes for polls to resume after a platform outage. */
const LONGEST_BACK_OFF_MS = 3_600_000;

/** Artists that don't exist don't count toward the plan's limit, so they are polled only rarely. */
const LONGEST_NOT_FOUND_MS = 24 * 3_600_000;

/**
 * Returns the time of the next poll. After failures, the pause doubles up to 1 h (24 h if the artist does not exist).
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

/** A factor below 1, as in tests, also shortens the pauses. */
function scaleOf({ intervalFactor }: ScheduleSettings): number {
  return Math.min(1, intervalFactor);
}

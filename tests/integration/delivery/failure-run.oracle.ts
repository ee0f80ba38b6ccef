import { RELEASE_WINDOW, WARN_AT } from '@artist-watch/domain/delivery/retry-schedule';

export interface DestinationState {
  readonly consecutiveFailures: number;
  readonly off: boolean;
  /** Null if the destination was not paused since its last success. The pause may have ended. */
  readonly pause: { readonly lengthMs: number; readonly untilMs: number } | null;
  readonly inFlight: number;
  readonly waiting: number;
}

export interface EndedAttempt {
  readonly outcome: 'succeeded' | 'failed';
  /** False for tests and resends. */
  readonly counts: boolean;
  /** True for the first attempt of a round. Only such attempts count as in flight. */
  readonly isFirst: boolean;
}

export interface FailureNotice {
  readonly kind: 'warning' | 'switched_off';
  readonly consecutiveFailures: number;
}

interface Limits {
  readonly switchOffAfter: number;
  readonly pausesMs: readonly number[];
}

/** packages/delivery/src/store/settlement.ts must have the same result. */
export function settleOneByOne(
  before: DestinationState,
  attempts: readonly EndedAttempt[],
  endedAtMs: number,
  limits: Limits,
): { readonly state: DestinationState; readonly notices: readonly FailureNotice[]; readonly released: number } {
  let state = before;
  let successes = 0;
  const notices: FailureNotice[] = [];
  for (const attempt of attempts) {
    if (!attempt.counts) continue;
    if (attempt.isFirst) state = { ...state, inFlight: Math.max(0, state.inFlight - 1) };
    if (state.off) continue;
    if (attempt.outcome === 'succeeded') {
      successes += 1;
      state = { ...state, consecutiveFailures: 0, pause: null };
      continue;
    }
    const consecutiveFailures = state.consecutiveFailures + 1;
    const off = consecutiveFailures >= limits.switchOffAfter;
    state = { ...state, consecutiveFailures, off, pause: off ? null : nextPause(state.pause, endedAtMs, limits) };
    if (off) notices.push({ kind: 'switched_off', consecutiveFailures });
    else if (WARN_AT.includes(consecutiveFailures)) notices.push({ kind: 'warning', consecutiveFailures });
  }
  if (state.off || state.pause) return { state, notices, released: 0 };
  const { perSuccess, most } = RELEASE_WINDOW;
  const released = Math.max(0, Math.min(successes * perSuccess, most - state.inFlight, state.waiting));
  const inFlight = state.inFlight + released;
  return { state: { ...state, inFlight, waiting: state.waiting - released }, notices, released };
}

/** A failure during a pause changes nothing. */
function nextPause(
  pause: DestinationState['pause'],
  nowMs: number,
  { pausesMs }: Limits,
): { readonly lengthMs: number; readonly untilMs: number } {
  if (pause && nowMs < pause.untilMs) return pause;
  const lengthMs = pausesMs.find((ms) => ms > (pause?.lengthMs ?? 0)) ?? Math.max(...pausesMs);
  return { lengthMs, untilMs: nowMs + lengthMs };
}

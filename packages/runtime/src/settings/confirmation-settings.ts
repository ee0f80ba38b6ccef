import { durationMs, integer } from './setting-types.js';

/** Rule R (docs/reference/detection.md), as change-ingest has it, for all who say how far a suspicion is. */
export const confirmationSettings = {
  /** Absent in so many observations … */
  CONFIRM_OBSERVATIONS: integer({ min: 2, max: 100 }).prefault('3'),
  /** … over at least so long. */
  CONFIRM_SPAN: durationMs().prefault('30m'),
  /** How often an artist with open suspicions is read. */
  CONFIRM_INTERVAL: durationMs().prefault('10m'),
} as const;

interface ConfirmationValues {
  readonly CONFIRM_OBSERVATIONS: number;
  readonly CONFIRM_SPAN: number;
  readonly CONFIRM_INTERVAL: number;
}

/** Durations in milliseconds. */
export function confirmationOf({ CONFIRM_OBSERVATIONS, CONFIRM_SPAN, CONFIRM_INTERVAL }: ConfirmationValues) {
  return { observations: CONFIRM_OBSERVATIONS, spanMs: CONFIRM_SPAN, intervalMs: CONFIRM_INTERVAL };
}

/**
 * Shows accounts how close a suspected change is to being confirmed (docs/reference/detection.md). The API calls this a
 * check.
 */

import type { ConfirmationSettings } from './confirmation.js';
import type { Suspicion } from './suspicion.js';
import { neededEvidence } from './suspicion.js';

export interface Check {
  readonly since: Date;
  readonly lastObservedAt: Date;
  readonly counted: number;
  readonly needed: number;
  /** The earliest possible time of confirmation. */
  readonly certainAt: Date;
}

/** Only a new observation can confirm a change, so at least one more is always needed. */
export function toCheck(suspicion: Suspicion, settings: ConfirmationSettings): Check {
  const { observations } = suspicion;
  const needed = neededEvidence(suspicion, settings);
  const since = observations[0].observedAt;
  const lastObservedAt = (observations.at(-1) ?? observations[0]).observedAt;
  const missing = Math.max(1, needed.observations - observations.length);
  const certainMs = Math.max(since.getTime() + needed.spanMs, lastObservedAt.getTime() + missing * settings.intervalMs);
  return {
    since,
    lastObservedAt,
    counted: observations.length,
    needed: needed.observations,
    certainAt: new Date(certainMs),
  };
}

/** @param show formats a time for display, such as `13:34 UTC` */
export function checkSentence(suspicion: Suspicion, check: Check, show: (instant: Date) => string): string {
  const { rule, type } = suspicion.difference;
  const seen = rule === 'absence' && type !== 'availability_reduced' ? 'Missing' : 'Different';
  const unsteady = suspicion.difference.unsteady
    ? ' The value has recently changed back and forth, so more observations are needed.'
    : '';
  const held = suspicion.held ? ' Too much is missing at once, so more observations are needed.' : unsteady;
  return (
    `${seen} since ${show(check.since)} (${check.counted} of ${check.needed} required observations). ` +
    `Earliest possible confirmation: ${show(check.certainAt)}.${held}`
  );
}

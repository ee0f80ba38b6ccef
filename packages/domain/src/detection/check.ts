/** What accounts are shown of a suspicion: how far it is from being certain (docs/reference/detection.md). */

import type { ConfirmationSettings } from './confirmation.js';
import { neededFor } from './proven-part.js';
import type { Suspicion } from './suspicion.js';

export interface Check {
  /** The first observation that counts. */
  readonly since: Date;
  /** The last one. */
  readonly lastObservedAt: Date;
  readonly counted: number;
  readonly needed: number;
  /** No reading that follows the rule can make it certain sooner; one that is late, or does not count, makes it later. */
  readonly certainAt: Date;
}

/**
 * Never before the observations span their time, and never before those that are missing have been made: at least one,
 * since a suspicion that has all of them waits for the next.
 */
export function checkOf(suspicion: Suspicion, settings: ConfirmationSettings): Check {
  const { observations } = suspicion;
  const needed = neededFor(suspicion, settings);
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

/** @param show how an instant is written for the reader: `13:34 UTC`. */
export function checkSentence(suspicion: Suspicion, check: Check, show: (instant: Date) => string): string {
  const { rule, type } = suspicion.difference;
  const seen = rule === 'absence' && type !== 'availability_reduced' ? 'Missing' : 'Different';
  const unsteady = suspicion.difference.unsteady
    ? ' It has changed to and fro of late, so more observations are asked for.'
    : '';
  const held = suspicion.held ? ' So much is missing at once that more observations are asked for.' : unsteady;
  return (
    `${seen} since ${show(check.since)}, ${check.counted} of ${check.needed} observations, ` +
    `certain at ${show(check.certainAt)} at the earliest.${held}`
  );
}

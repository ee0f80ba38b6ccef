/**
 * Some values change back and forth while a platform's servers disagree (spotify/web-api, issues 943 and 1023). A
 * change that repeats within 30 days needs as much evidence as a removal on hold.
 */
import { isAvailability } from '../change/catalogue-availability.js';
import { isFieldChange } from '../change/change-types.js';
import { type Difference, isReplacement } from '../change/difference.js';
import type { JsonReader } from './json-reader.js';

export interface RecentChange {
  readonly key: string;
  readonly at: Date;
}

const WINDOW_MS = 30 * 86_400_000;

export function readRecentChanges(changes: JsonReader): RecentChange[] {
  return changes.list((change) => ({ key: change.at('key').text(), at: change.at('at').instant() }));
}

/** A difference needs more evidence if it was already confirmed recently. */
export function markUnsteady(
  found: readonly Difference[],
  changes: readonly RecentChange[],
  observedAt: Date,
): Difference[] {
  const keys = new Set(withinWindow(changes, observedAt).map(({ key }) => key));
  return found.map((one) => (keys.has(one.key) ? { ...one, unsteady: true } : one));
}

export function addRecentChanges(
  changes: readonly RecentChange[],
  confirmed: readonly Difference[],
  observedAt: Date,
): readonly RecentChange[] {
  const more = confirmed.filter(canChangeBack).map(({ key }) => ({ key, at: observedAt }));
  return more.length === 0 ? changes : [...withinWindow(changes, observedAt), ...more];
}

function withinWindow(changes: readonly RecentChange[], observedAt: Date): readonly RecentChange[] {
  return changes.filter(({ at }) => observedAt.getTime() - at.getTime() < WINDOW_MS);
}

/** Excludes follower counts, which are already compared with the last confirmed level. */
function canChangeBack(difference: Difference): boolean {
  return isFieldChange(difference.type) || isAvailability(difference) || isReplacement(difference);
}

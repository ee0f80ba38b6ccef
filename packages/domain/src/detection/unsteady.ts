/**
 * Values that flip. A platform has many servers and caches, and sometimes two of them disagree for days. For example,
 * two of a release's markets appear and disappear at random (spotify/web-api, issue 943), or an artist's name switches
 * between two languages (spotify/web-api, issue 1023). Often, two observations in a row show one value, and two later
 * observations show the other. Each flip would be reported as a change for as long as the platform disagrees with
 * itself.
 *
 * A change and its reversal are both reported, because the reversal may correct a mistake. If the same change occurs
 * again within 30 days, it needs as much evidence as a braked removal.
 */
import { isAvailability } from '../change/catalogue-availability.js';
import { isFieldChange } from '../change/change-types.js';
import { type Difference, isReplacement } from '../change/difference.js';
import type { JsonReader } from './json-reader.js';

/** A confirmed change that the platform could reverse. */
export interface RecentChange {
  /** The key of the confirmed difference. */
  readonly key: string;
  readonly at: Date;
}

const WINDOW_MS = 30 * 86_400_000;

export function readRecentChanges(changes: JsonReader): RecentChange[] {
  return changes.list((change) => ({ key: change.at('key').text(), at: change.at('at').instant() }));
}

/** Marks differences that were confirmed recently, because they need more evidence to be confirmed again. */
export function markUnsteady(
  found: readonly Difference[],
  changes: readonly RecentChange[],
  observedAt: Date,
): Difference[] {
  const keys = new Set(withinWindow(changes, observedAt).map(({ key }) => key));
  return found.map((one) => (keys.has(one.key) ? { ...one, unsteady: true } : one));
}

/** Adds confirmed changes to the recent ones. */
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

/**
 * True for field changes, market changes and replacements. Followers are excluded, because they are compared with the
 * last confirmed level.
 */
function canChangeBack(difference: Difference): boolean {
  return isFieldChange(difference.type) || isAvailability(difference) || isReplacement(difference);
}

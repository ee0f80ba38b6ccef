/**
 * What changes to and fro. A platform answers from many servers and caches, and now and then two of them disagree for
 * days: the markets of a release with and without two of them, by chance (spotify/web-api, issue 943), an artist's name in
 * one language or another (spotify/web-api, issue 1023). Two readings in a row show the one value often enough, and two
 * later ones the other: each would be reported as a change, for as long as the platform disagrees with itself.
 *
 * So what became something, and went back, is reported both times: it may be a mistake that was put right. The same change
 * once more within a month needs as much evidence as a removal that the brake holds.
 */
import { isAvailability } from '../change/catalogue-availability.js';
import { isFieldChange } from '../change/change-types.js';
import { type Difference, isReplacement } from '../change/difference.js';
import type { JsonReader } from './json-reading.js';

/** A confirmed change of something that can change back. */
export interface Turn {
  /** Of the difference. */
  readonly key: string;
  readonly at: Date;
}

const WINDOW_MS = 30 * 86_400_000;

export function readTurns(turns: JsonReader): Turn[] {
  return turns.list((turn) => ({ key: turn.at('key').text(), at: turn.at('at').instant() }));
}

/** Marks what was confirmed before, of late: for that the usual evidence is too little. */
export function markUnsteady(found: readonly Difference[], turns: readonly Turn[], observedAt: Date): Difference[] {
  const keys = new Set(recentOf(turns, observedAt).map(({ key }) => key));
  return found.map((one) => (keys.has(one.key) ? { ...one, unsteady: true } : one));
}

/** What is remembered once these were confirmed. */
export function turnsAfter(
  turns: readonly Turn[],
  confirmed: readonly Difference[],
  observedAt: Date,
): readonly Turn[] {
  const more = confirmed.filter(canChangeBack).map(({ key }) => ({ key, at: observedAt }));
  return more.length === 0 ? turns : [...recentOf(turns, observedAt), ...more];
}

function recentOf(turns: readonly Turn[], observedAt: Date): readonly Turn[] {
  return turns.filter(({ at }) => observedAt.getTime() - at.getTime() < WINDOW_MS);
}

/**
 * Fields, markets, and what stands in another's place. What vanishes and comes again is asked for directly; a jump
 * of followers is measured from the last one.
 */
function canChangeBack(difference: Difference): boolean {
  return isFieldChange(difference.type) || isAvailability(difference) || isReplacement(difference);
}

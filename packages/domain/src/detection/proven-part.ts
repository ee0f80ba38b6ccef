import { catalogueAvailability, narrowedTo, seenAvailability } from '../change/catalogue-availability.js';
import type { Suspicion, SuspicionObservation } from './suspicion.js';

/** How many observations it takes, and over how long a time, to believe something. */
export interface NeededEvidence {
  readonly observations: number;
  readonly spanMs: number;
}

/** Two complete observations in a row that agree. */
const REPETITION: NeededEvidence = { observations: 2, spanMs: 0 };

/**
 * The evidence that a suspicion needs. Held by the brake, or of what changes to and fro: 5 observations over 2 hours where
 * 3 over 30 minutes is the rule of absence.
 *
 * @param usual what rule `absence` needs.
 */
export function neededFor({ difference, held }: Suspicion, usual: NeededEvidence): NeededEvidence {
  if (difference.rule === 'repetition' && !difference.unsteady) return REPETITION;
  return held || difference.unsteady ? { observations: usual.observations + 2, spanMs: usual.spanMs * 4 } : usual;
}

/** So many observations more are awaited for releases that were seen less often than others of the same change. */
const PATIENCE = 2;

/**
 * What of a suspicion may be believed: all of it or nothing. Only a change of availability for many releases has parts:
 * each release needs the evidence by itself. Those that lag behind are waited for, so that one event is reported once; then
 * the others are reported.
 *
 * @param usual what rule `absence` needs.
 */
export function provenPart(suspicion: Suspicion, usual: NeededEvidence): Suspicion | null {
  const { difference, observations } = suspicion;
  const needed = neededFor(suspicion, usual);
  const whole = catalogueAvailability(difference);
  if (whole === null) return suffices(observations, needed) ? suspicion : null;
  const proven = new Set<string>();
  const affected = [...whole.releases, ...whole.unseen];
  for (const { platformId } of affected) {
    if (suffices(observationsOf(platformId, observations), needed)) proven.add(platformId);
  }
  const isWhole = proven.size === affected.length;
  const isOverdue = observations.length >= needed.observations + PATIENCE;
  if (proven.size === 0 || !(isWhole || isOverdue)) return null;
  return { ...suspicion, difference: narrowedTo(difference, ({ platformId }) => proven.has(platformId)) };
}

function suffices(observations: readonly SuspicionObservation[], needed: NeededEvidence): boolean {
  const [first, last] = [observations[0], observations.at(-1)];
  if (first === undefined || last === undefined) return false;
  const spanMs = last.observedAt.getTime() - first.observedAt.getTime();
  return observations.length >= needed.observations && spanMs >= needed.spanMs;
}

/** Those that showed it of one release, since one last showed that it was not so. */
function observationsOf(releaseId: string, observations: readonly SuspicionObservation[]): SuspicionObservation[] {
  const seen = observations.map((observation) => ({ observation, ...seenAvailability(observation.seen) }));
  const since = seen.findLastIndex(({ back }) => back.includes(releaseId)) + 1;
  return seen
    .slice(since)
    .filter(({ releases }) => releases.some(({ platformId }) => platformId === releaseId))
    .map(({ observation }) => observation);
}

import { catalogueAvailability, narrowToReleases, parseAvailability } from '../change/catalogue-availability.js';
import type { Suspicion, SuspicionObservation } from './suspicion.js';

/** The number of observations, and the time span between them, that confirm a suspicion. */
export interface NeededEvidence {
  readonly observations: number;
  readonly spanMs: number;
}

/** Rule `repetition` needs two complete observations in a row that agree. */
const REPETITION: NeededEvidence = { observations: 2, spanMs: 0 };

/**
 * Returns the evidence that a suspicion needs. A braked removal or a flipping value needs two more observations and
 * four times the time span: 5 over 2 hours instead of 3 over 30 minutes.
 *
 * @param usual the evidence for rule `absence`
 */
export function neededEvidence({ difference, held }: Suspicion, usual: NeededEvidence): NeededEvidence {
  if (difference.rule === 'repetition' && !difference.unsteady) return REPETITION;
  return held || difference.unsteady ? { observations: usual.observations + 2, spanMs: usual.spanMs * 4 } : usual;
}

/** How many more observations to wait for releases of the same change that have too few. */
const PATIENCE = 2;

/**
 * Returns the confirmed part of a suspicion. For most suspicions that is the whole suspicion or null. In an artist-wide
 * availability change, each release needs its own evidence. Releases with too few observations delay the others for a
 * while, so that one event is reported once.
 *
 * @param usual the evidence for rule `absence`
 */
export function provenPart(suspicion: Suspicion, usual: NeededEvidence): Suspicion | null {
  const { difference, observations } = suspicion;
  const needed = neededEvidence(suspicion, usual);
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
  return { ...suspicion, difference: narrowToReleases(difference, ({ platformId }) => proven.has(platformId)) };
}

function suffices(observations: readonly SuspicionObservation[], needed: NeededEvidence): boolean {
  const [first, last] = [observations[0], observations.at(-1)];
  if (first === undefined || last === undefined) return false;
  const spanMs = last.observedAt.getTime() - first.observedAt.getTime();
  return observations.length >= needed.observations && spanMs >= needed.spanMs;
}

/** Returns the observations in which a release had the change, since the last one that contradicted it. */
function observationsOf(releaseId: string, observations: readonly SuspicionObservation[]): SuspicionObservation[] {
  const seen = observations.map((observation) => ({ observation, ...parseAvailability(observation.seen) }));
  const since = seen.findLastIndex(({ back }) => back.includes(releaseId)) + 1;
  return seen
    .slice(since)
    .filter(({ releases }) => releases.some(({ platformId }) => platformId === releaseId))
    .map(({ observation }) => observation);
}

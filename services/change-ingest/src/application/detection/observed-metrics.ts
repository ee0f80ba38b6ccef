import type { CatalogueState, Observation } from '@artist-watch/domain/catalogue';
import { MINIMUM_TREND_STEP } from '@artist-watch/domain/detection/followers-trend';
import type { PollState } from '@artist-watch/persistence/polling/artist-rows';

/** The counts that an artist is shown with; `undefined` is what the platform did not say. */
export interface ObservedMetrics {
  readonly followers: number | undefined;
  readonly monthlyListeners: number | undefined;
}

/** Platforms answer 0 now and then where they mean that they do not know; nobody loses so many at once. */
const FEW = 10;

const GREATEST_COUNT = 2_147_483_647;
const DAY_MS = 86_400_000;

/** An observation without counts that cannot be: they are unknown. The very object where there are none. */
export function believable(pollState: PollState, observation: Observation): Observation {
  if (observation.kind !== 'complete') return observation;
  const { artist } = observation.state;
  const followers = believableCount(pollState.followers, artist.followers);
  const monthlyListeners = believableCount(pollState.monthlyListeners, artist.monthlyListeners);
  if (followers === artist.followers && monthlyListeners === artist.monthlyListeners) return observation;
  const state: CatalogueState = { ...observation.state, artist: { ...artist, followers, monthlyListeners } };
  return { ...observation, state };
}

function believableCount(known: number, seen: number | undefined): number | undefined {
  if (seen === undefined || seen < 0 || (seen === 0 && known >= FEW)) return undefined;
  return Math.min(Math.round(seen), GREATEST_COUNT);
}

/** Null when the observation says nothing of either. */
export function metricsOf(observation: Observation): ObservedMetrics | null {
  if (observation.kind !== 'complete') return null;
  const { followers, monthlyListeners } = observation.state.artist;
  return followers === undefined && monthlyListeners === undefined ? null : { followers, monthlyListeners };
}

/** Once a UTC day, and after a jump, the followers are compared with their history. */
export function asksForHistory(pollState: PollState, observation: Observation): boolean {
  const followers = metricsOf(observation)?.followers;
  if (followers === undefined) return false;
  const jumps = Math.abs(followers - pollState.followers) >= MINIMUM_TREND_STEP;
  return jumps || isFirstOfDay(pollState, observation.observedAt);
}

export function isFirstOfDay({ metricsObservedAt }: PollState, observedAt: Date): boolean {
  return metricsObservedAt === null || dayOf(metricsObservedAt) !== dayOf(observedAt);
}

function dayOf(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MS);
}

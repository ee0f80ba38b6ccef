import { hash } from 'node:crypto';
import type { CatalogueState, Observation, Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { DirectAnswers } from '@artist-watch/domain/detection/direct-reads';
import { MINIMUM_TREND_STEP } from '@artist-watch/domain/detection/followers-trend';
import type { ArtistId, SnapshotId } from '@artist-watch/domain/ids';
import type { PollState } from '@artist-watch/persistence/polling/artist-rows';
import type { ScheduleSettings } from '../polling/schedule.js';

export interface ArtistObservation {
  readonly artistId: ArtistId;
  readonly observation: Observation;
  /** Results from requesting missing releases and tracks directly. */
  readonly directAnswers: DirectAnswers;
  /**
   * If this hash hasn't changed since the last observation, nothing is compared. Null for a detailed read, because its
   * content differs from the content of a list.
   */
  readonly digest: Buffer | null;
  /** `closer`: a detailed read between two polls. `ingested`: reported by another detector. */
  readonly source: 'poll' | 'closer' | 'ingested';
}

export interface DetectionSettings extends ScheduleSettings {
  readonly confirmation: ConfirmationSettings;
}

export interface DetectionContext {
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly now: Date;
  readonly snapshotId: SnapshotId;
  /** True if the brake puts removals on hold for all artists. */
  readonly fleetBrakes: boolean;
  readonly traceparent: string | null;
}

/** Ignores the order of releases, the follower count and the listener count, because they change all the time. */
export function hashObservation(observation: Observation): Buffer | null {
  switch (observation.kind) {
    case 'complete':
      return hash('sha256', JSON.stringify(comparable(observation.state)), 'buffer');
    case 'artist_gone':
      return hash('sha256', 'artist_gone', 'buffer');
    case 'artist_merged':
      return hash('sha256', `artist_merged ${observation.into.platformId}`, 'buffer');
    case 'incomplete':
      return null;
  }
}

function comparable({ artist, releases, unknownReleases = 0 }: CatalogueState): unknown {
  const { platformId, name, imageId } = artist;
  const ordered = releases.toSorted((a, b) => (a.platformId < b.platformId ? -1 : a.platformId > b.platformId ? 1 : 0));
  return [platformId, name, imageId, ordered, ...(unknownReleases > 0 ? [unknownReleases] : [])];
}

/** A count is undefined if the platform did not return it. */
interface ObservedMetrics {
  readonly followers: number | undefined;
  readonly monthlyListeners: number | undefined;
}

/** Platforms sometimes return 0 if they don't know a count, so a drop to 0 from this count or more is ignored. */
const MIN_IMPLAUSIBLE_LOSS = 10;

const MAX_COUNT = 2_147_483_647;
const DAY_MS = 86_400_000;

/** Drops implausible counts, and rounds and caps the others. Returns the same object if nothing changes. */
export function withPlausibleCounts(pollState: PollState, observation: Observation): Observation {
  if (observation.kind !== 'complete') return observation;
  const { artist } = observation.state;
  const followers = plausibleCount(pollState.followers, artist.followers);
  const monthlyListeners = plausibleCount(pollState.monthlyListeners, artist.monthlyListeners);
  if (followers === artist.followers && monthlyListeners === artist.monthlyListeners) return observation;
  const state: CatalogueState = { ...observation.state, artist: { ...artist, followers, monthlyListeners } };
  return { ...observation, state };
}

function plausibleCount(known: number, seen: number | undefined): number | undefined {
  if (seen === undefined || seen < 0 || (seen === 0 && known >= MIN_IMPLAUSIBLE_LOSS)) return undefined;
  return Math.min(Math.round(seen), MAX_COUNT);
}

export function readMetrics(observation: Observation): ObservedMetrics | null {
  if (observation.kind !== 'complete') return null;
  const { followers, monthlyListeners } = observation.state.artist;
  return followers === undefined && monthlyListeners === undefined ? null : { followers, monthlyListeners };
}

/** The follower count is compared with its history once per UTC day, and whenever it jumps. */
export function needsFollowersHistory(pollState: PollState, observation: Observation): boolean {
  const followers = readMetrics(observation)?.followers;
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

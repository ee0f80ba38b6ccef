import type { CatalogueState, Observation, ReleaseState, TrackState } from '../catalogue.js';
import { catalogueAvailability } from '../change/catalogue-availability.js';
import { isFieldChange } from '../change/change-types.js';
import { type Difference, mergeTarget, replacementId } from '../change/difference.js';
import { ARTIST_FIELDS, type ComparedField, RELEASE_FIELDS, TRACK_FIELDS } from '../comparison/compared-fields.js';
import { changedMarkets, marketSet } from '../comparison/market-comparison.js';
import type { BaselineState, RemovedRelease } from './baseline.js';
import { learn } from './baseline-learning.js';
import { type FollowersOfDay, lastingTrend, trendFrom } from './followers-trend.js';
import { addRecentChanges } from './unsteady.js';

export interface SettleInput {
  readonly baseline: BaselineState;
  readonly observation: Exclude<Observation, { kind: 'incomplete' }>;
  readonly confirmed: readonly Difference[];
  readonly followersHistory: readonly FollowersOfDay[];
}

/** Returns the same object if nothing changed, so that the caller can skip the write. */
export function settleBaseline(input: SettleInput): BaselineState {
  const { observation, confirmed } = input;
  const observed = observation.kind === 'complete' ? observation.state : null;
  const taken = confirmed.reduce((at, one) => applyConfirmed(at, one, observed), input.baseline);
  const turns = addRecentChanges(taken.turns, confirmed, observation.observedAt);
  const updated = turns === taken.turns ? taken : { ...taken, turns };
  if (observed === null) return updated;
  const followersTrend = lastingTrend({
    artist: updated.artist,
    history: input.followersHistory,
    followers: observed.artist.followers,
    observedAt: observation.observedAt,
    confirmed: updated.followersTrend,
  });
  const learned = markNewReleases(input.baseline, learn(updated, observed));
  return followersTrend === learned.followersTrend ? learned : { ...learned, followersTrend };
}

function markNewReleases(before: BaselineState, after: BaselineState): BaselineState {
  if (after.releases === before.releases) return after;
  const known = new Set(before.releases.map(({ platformId }) => platformId));
  const releases = after.releases.map((release) =>
    known.has(release.platformId) ? release : { ...release, marketsSeenOnce: true },
  );
  return { ...after, releases };
}

/**
 * @param observed the observation that confirmed the difference, or null
 * @throws {RangeError} if the observation does not contain the confirmed value
 */
export function applyConfirmed(
  baseline: BaselineState,
  difference: Difference,
  observed: CatalogueState | null,
): BaselineState {
  const { type } = difference;
  if (isFieldChange(type)) return withField(baseline, difference, observed);
  switch (type) {
    case 'artist_removed':
      return { ...baseline, artistGone: true };
    case 'artist_merged':
      return { ...baseline, artistGone: true, mergedInto: mergeTarget(difference) };
    case 'artist_restored':
      return { ...baseline, artistGone: false, mergedInto: undefined };
    case 'followers_spike':
    case 'followers_drop':
      return { ...baseline, followersTrend: trendFrom(difference) };

    case 'release_removed':
    case 'release_moved':
      return withoutRelease(baseline, difference.entityId);
    case 'release_added':
    case 'release_restored':
      return withRelease(baseline, findIn(observed?.releases, difference.entityId, difference));
    case 'release_replaced': {
      const replacement = findIn(observed?.releases, replacementId(difference), difference);
      return withRelease(withoutRelease(baseline, difference.entityId), replacement);
    }
    case 'availability_reduced':
    case 'availability_expanded':
      return withAvailability(baseline, difference);

    case 'track_removed':
      return updateRelease(baseline, shown(difference.releaseId, difference), (known) =>
        known.tracks === undefined
          ? known
          : { ...known, tracks: known.tracks.filter(({ platformId }) => platformId !== difference.entityId) },
      );
    case 'track_added':
    case 'track_replaced':
      return withTracks(baseline, difference, observed);
  }
}

function withField(baseline: BaselineState, difference: Difference, observed: CatalogueState | null): BaselineState {
  switch (difference.entityType) {
    case 'artist': {
      const seen = shown(observed?.artist, difference);
      return { ...baseline, artist: adopted(ARTIST_FIELDS, baseline.artist, seen, difference) };
    }
    case 'release': {
      const seen = findIn(observed?.releases, difference.entityId, difference);
      return updateRelease(baseline, difference.entityId, (known) => adopted(RELEASE_FIELDS, known, seen, difference));
    }
    case 'track':
      return withTracks(baseline, difference, observed);
  }
}

function withTracks(baseline: BaselineState, difference: Difference, observed: CatalogueState | null): BaselineState {
  const releaseId = shown(difference.releaseId, difference);
  const seen = shown(findIn(observed?.releases, releaseId, difference).tracks, difference);
  return updateRelease(baseline, releaseId, (known) => ({
    ...known,
    tracks: tracksAfter(known.tracks ?? [], seen, difference),
  }));
}

function withoutRelease(baseline: BaselineState, platformId: string): BaselineState {
  const gone = baseline.releases.find((release) => release.platformId === platformId);
  if (gone === undefined) return baseline;
  return {
    ...baseline,
    releases: baseline.releases.filter((release) => release !== gone),
    removed: [...forgetting(baseline.removed, platformId), { platformId, title: gone.title }],
  };
}

function withRelease(baseline: BaselineState, release: ReleaseState): BaselineState {
  return {
    ...baseline,
    releases: [...baseline.releases.filter(({ platformId }) => platformId !== release.platformId), release],
    removed: forgetting(baseline.removed, release.platformId),
  };
}

function forgetting(removed: readonly RemovedRelease[], id: string): readonly RemovedRelease[] {
  return removed.filter(({ platformId }) => platformId !== id);
}

function updateRelease(
  baseline: BaselineState,
  id: string,
  update: (release: ReleaseState) => ReleaseState,
): BaselineState {
  const releases = baseline.releases.map((release) => (release.platformId === id ? update(release) : release));
  return { ...baseline, releases };
}

function withAvailability(baseline: BaselineState, difference: Difference): BaselineState {
  const whole = catalogueAvailability(difference);
  const ids = new Set(whole?.releases.map(({ platformId }) => platformId) ?? [difference.entityId]);
  const isGain = difference.type === 'availability_expanded';
  const moved = new Set(whole?.markets ?? changedMarkets(difference));
  const after = (known: readonly string[]): readonly string[] => {
    const markets = marketSet(known);
    return isGain
      ? [...new Set([...markets, ...moved])].sort()
      : [...markets].filter((market) => !moved.has(market)).sort();
  };
  const releases = baseline.releases.map((release) =>
    ids.has(release.platformId) ? { ...release, markets: after(release.markets ?? []) } : release,
  );
  return { ...baseline, releases };
}

function tracksAfter(
  known: readonly TrackState[],
  seen: readonly TrackState[],
  difference: Difference,
): readonly TrackState[] {
  const id = difference.entityId;
  const others = known.filter(({ platformId }) => platformId !== id);
  switch (difference.type) {
    case 'track_added':
      return [...others, findIn(seen, id, difference)];
    case 'track_replaced': {
      const replacement = findIn(seen, replacementId(difference), difference);
      return [...others.filter(({ platformId }) => platformId !== replacement.platformId), replacement];
    }
    default: {
      const is = findIn(seen, id, difference);
      return known.map((track) => (track.platformId === id ? adopted(TRACK_FIELDS, track, is, difference) : track));
    }
  }
}

function adopted<Entity>(
  fields: readonly ComparedField<Entity>[],
  known: Entity,
  seen: Entity,
  difference: Difference,
): Entity {
  return shown(
    fields.find(({ type }) => type === difference.type),
    difference,
  ).adopt(known, seen);
}

function findIn<Entity extends { readonly platformId: string }>(
  entities: readonly Entity[] | undefined,
  id: string,
  difference: Difference,
): Entity {
  return shown(
    entities?.find(({ platformId }) => platformId === id),
    difference,
  );
}

function shown<Value>(value: Value | null | undefined, difference: Difference): Value {
  if (value === null || value === undefined) throw new RangeError(`the observation does not show ${difference.key}`);
  return value;
}

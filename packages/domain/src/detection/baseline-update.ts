import type { CatalogueState, Observation, ReleaseState, TrackState } from '../catalogue.js';
import { catalogueAvailability } from '../change/catalogue-availability.js';
import { isFieldChange } from '../change/change-types.js';
import { type Difference, mergeTarget, replacementId } from '../change/difference.js';
import { ARTIST_FIELDS, type ComparedField, RELEASE_FIELDS, TRACK_FIELDS } from '../comparison/compared-fields.js';
import { changedMarkets, knownMarkets, marketSet } from '../comparison/market-comparison.js';
import { revealedTracks } from '../comparison/release-comparison.js';
import { revealedReleases } from '../comparison/snapshot-comparison.js';
import { addRecentChanges, type BaselineState, type RemovedRelease } from './baseline.js';
import { type FollowersOfDay, lastingTrend, trendFrom } from './followers-trend.js';

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

/** Fills in the baseline's unknown fields from an observation. Returns the same object if nothing was learned. */
export function learn(baseline: BaselineState, observed: CatalogueState): BaselineState {
  const artist = learnFields(ARTIST_FIELDS, baseline.artist, observed.artist);
  const { revealed, unknown } = revealedReleases(baseline, observed);
  const releases = learnMembers(baseline.releases, observed.releases, revealed, learnRelease);
  const isSame = artist === baseline.artist && releases === baseline.releases;
  if (isSame && unknown === (baseline.unknownReleases ?? 0)) return baseline;
  return { ...baseline, artist, releases, unknownReleases: unknown || undefined };
}

function learnRelease(known: ReleaseState, seen: ReleaseState): ReleaseState {
  let learned = learnFields(RELEASE_FIELDS, known, seen);
  learned = refresh(learned, seen, 'type');
  learned = refresh(learned, seen, 'explicit');
  if (known.credits === undefined && seen.credits !== undefined) learned = { ...learned, credits: seen.credits };
  const markets = knownMarkets(seen);
  if (knownMarkets(known) === undefined && markets !== undefined) learned = { ...learned, markets };
  else if (known.marketsSeenOnce && markets !== undefined) {
    const both = [...marketSet([...(known.markets ?? []), ...markets])].sort();
    learned = { ...learned, markets: both, marketsSeenOnce: undefined };
  }
  if (seen.tracks === undefined) return learned;
  if (known.tracks === undefined) return { ...learned, tracks: seen.tracks, unknownTracks: seen.unknownTracks };
  const { revealed, unknown } = revealedTracks(known, seen);
  const tracks = learnMembers(known.tracks, seen.tracks, revealed, learnTrack);
  if (tracks === known.tracks && unknown === (known.unknownTracks ?? 0)) return learned;
  return { ...learned, tracks, unknownTracks: unknown || undefined };
}

function learnTrack(known: TrackState, seen: TrackState): TrackState {
  return refresh(learnFields(TRACK_FIELDS, known, seen), seen, 'position');
}

function learnFields<Entity>(fields: readonly ComparedField<Entity>[], known: Entity, seen: Entity): Entity {
  let learned = known;
  for (const field of fields) {
    if (field.teaches(known, seen)) learned = field.adopt(learned, seen);
  }
  return learned;
}

function refresh<Entity, Name extends keyof Entity>(known: Entity, seen: Entity, name: Name): Entity {
  return seen[name] === undefined || seen[name] === known[name] ? known : { ...known, [name]: seen[name] };
}

function learnMembers<Entity extends { readonly platformId: string }>(
  known: readonly Entity[],
  seen: readonly Entity[],
  revealed: readonly Entity[],
  learnOne: (known: Entity, seen: Entity) => Entity,
): readonly Entity[] {
  const present = new Map(seen.map((entity) => [entity.platformId, entity]));
  let changed = false;
  const learned = known.map((entity) => {
    const now = present.get(entity.platformId);
    const result = now === undefined ? entity : learnOne(entity, now);
    changed ||= result !== entity;
    return result;
  });
  return changed || revealed.length > 0 ? [...learned, ...revealed] : known;
}

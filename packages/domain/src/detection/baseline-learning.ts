import type { CatalogueState, ReleaseState, TrackState } from '../catalogue.js';
import { ARTIST_FIELDS, type ComparedField, RELEASE_FIELDS, TRACK_FIELDS } from '../comparison/compared-fields.js';
import { knownMarkets, marketSet } from '../comparison/market-comparison.js';
import { revealedReleases } from '../comparison/snapshot-comparison.js';
import { revealedTracks } from '../comparison/track-comparison.js';
import type { BaselineState } from './baseline.js';

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

/**
 * What an observation shows that the baseline does not (docs/reference/detection.md). Pure, and linear in the tracks.
 */
import type { CatalogueState, MergeTarget, Observation, ReleaseState } from '../catalogue.js';
import { type Difference, inKeyOrder, makeDifference } from '../change/difference.js';
import { ARTIST_FIELDS, type ArtistState } from './compared-fields.js';
import { revealedMembers } from './pairing.js';
import { compareRelease, compareReleaseMembers } from './release-comparison.js';

/** A catalogue, and what is remembered of what it once held. */
export interface ComparedBaseline extends CatalogueState {
  /** Releases whose removal was confirmed: their return is `release_restored`. */
  readonly removed?: readonly { readonly platformId: string }[];
  /** The artist's own removal was confirmed: a complete observation is `artist_restored`. */
  readonly artistGone?: boolean;
  /** The platform's id of the artist that this one was merged into, once that was confirmed. */
  readonly mergedInto?: string | undefined;
}

/**
 * The differences between a baseline and a complete observation, in the order of their keys. Unknown never differs, and
 * the order of lists never matters.
 */
export function compare(baseline: ComparedBaseline, observed: CatalogueState): Difference[] {
  const found: Difference[] = [];
  compareArtist(baseline, observed.artist, found);

  const present = new Map(observed.releases.map((release) => [release.platformId, release]));
  const known = new Set<string>();
  const gone: ReleaseState[] = [];
  for (const release of baseline.releases) {
    known.add(release.platformId);
    const is = present.get(release.platformId);
    if (is === undefined) gone.push(release);
    else compareRelease(release, is, found);
  }
  const removedBefore = new Set(baseline.removed?.map((release) => release.platformId));
  const { revealed } = revealedReleases(baseline, observed);
  const come = observed.releases.filter((release) => !known.has(release.platformId) && !revealed.includes(release));
  compareReleaseMembers(gone, come, removedBefore, found);
  return inKeyOrder(found);
}

/** Releases of the observation that were in the list before, when the platform showed nothing of them. */
export function revealedReleases(baseline: ComparedBaseline, observed: CatalogueState) {
  const removed = new Set(baseline.removed?.map(({ platformId }) => platformId));
  const listed = ({ releases, unknownReleases = 0 }: CatalogueState) => ({
    members: releases,
    unknown: unknownReleases,
  });
  return revealedMembers(listed(baseline), listed(observed), removed);
}

/** What any observation differs in. An incomplete one is never compared. */
export function differencesOf(baseline: ComparedBaseline, observation: Observation): Difference[] {
  switch (observation.kind) {
    case 'complete':
      return compare(baseline, observation.state);
    case 'artist_gone':
      return baseline.artistGone ? [] : [aboutArtist('artist_removed', baseline.artist)];
    case 'artist_merged':
      return baseline.mergedInto === observation.into.platformId ? [] : [merge(baseline.artist, observation.into)];
    case 'incomplete':
      return [];
  }
}

/** `before` and `after` are lists of one credit. */
function merge({ platformId, name }: ArtistState, into: MergeTarget): Difference {
  return makeDifference({
    type: 'artist_merged',
    entityId: platformId,
    entityName: name,
    before: [{ platformId, name: name ?? platformId }],
    after: [{ platformId: into.platformId, name: into.name ?? into.platformId }],
    became: into.platformId,
  });
}

function compareArtist(baseline: ComparedBaseline, observed: ArtistState, found: Difference[]): void {
  if (baseline.artistGone) found.push(aboutArtist('artist_restored', baseline.artist));
  for (const field of ARTIST_FIELDS) {
    const difference = field.difference(baseline.artist, observed);
    if (difference === null) continue;
    const { platformId, name = observed.name } = baseline.artist;
    found.push(makeDifference({ type: field.type, entityId: platformId, entityName: name, ...difference }));
  }
}

function aboutArtist(type: 'artist_removed' | 'artist_restored', { platformId, name }: ArtistState): Difference {
  return makeDifference({ type, entityId: platformId, entityName: name });
}

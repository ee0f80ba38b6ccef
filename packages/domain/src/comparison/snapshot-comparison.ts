/** See docs/reference/detection.md. */
import type { CatalogueState, MergeTarget, Observation, ReleaseState } from '../catalogue.js';
import { type Difference, makeDifference, sortByKey } from '../change/difference.js';
import { ARTIST_FIELDS, type ArtistState } from './compared-fields.js';
import { revealedMembers } from './pairing.js';
import { compareRelease, compareReleaseMembers } from './release-comparison.js';

export interface ComparedBaseline extends CatalogueState {
  /** If one of these releases reappears, it is reported as `release_restored`. */
  readonly removed?: readonly { readonly platformId: string }[];
  /** If true, the next complete observation is reported as `artist_restored`. */
  readonly artistGone?: boolean;
  readonly mergedInto?: string | undefined;
}

/** Returns the differences, sorted by key. Ignores unknown values. */
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
  const added = observed.releases.filter((release) => !known.has(release.platformId) && !revealed.includes(release));
  compareReleaseMembers(gone, added, removedBefore, found);
  if (found.length === 0) return found;
  const releases = new Map(baseline.releases.map((release) => [release.platformId, release]));
  const maxTracks = found.length > MAX_CHANGES_WITH_TRACKS ? 0 : MAX_TRACKS;
  return sortByKey(found).map((difference) => withFacts(difference, releases, maxTracks));
}

/** Emails contain only short changes, so long track lists are cut. */
const MAX_TRACKS = 30;
const MAX_TITLE_CHARS = 50;
/** Every check reads the suspected changes, so mass changes are stored without tracks. */
const MAX_CHANGES_WITH_TRACKS = 100;

function withFacts(difference: Difference, releases: ReadonlyMap<string, ReleaseState>, maxTracks: number): Difference {
  const { entityType, entityId, releaseId } = difference;
  const release = releases.get(releaseId ?? entityId);
  if (release === undefined) return difference;
  const { label, upc, releaseDate } = release;
  const tracks = release.tracks
    ?.filter(({ platformId }) => entityType === 'release' || platformId === entityId)
    .slice(0, maxTracks)
    .map(({ title, isrc }) => ({ title: title && [...title].slice(0, MAX_TITLE_CHARS).join(''), isrc }));
  return { ...difference, facts: { label, upc, releaseDate, ...(tracks && { tracks }) } };
}

export function revealedReleases(baseline: ComparedBaseline, observed: CatalogueState) {
  const removed = new Set(baseline.removed?.map(({ platformId }) => platformId));
  return revealedMembers(
    { members: baseline.releases, unknown: baseline.unknownReleases ?? 0 },
    { members: observed.releases, unknown: observed.unknownReleases ?? 0 },
    removed,
  );
}

export function compareObservation(baseline: ComparedBaseline, observation: Observation): Difference[] {
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

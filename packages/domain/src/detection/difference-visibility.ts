import type { CatalogueState, Observation, ReleaseState } from '../catalogue.js';
import { catalogueAvailability } from '../change/catalogue-availability.js';
import { isFieldChange } from '../change/change-types.js';
import { type Difference, replacementId } from '../change/difference.js';
import { ARTIST_FIELDS, type ComparedField, RELEASE_FIELDS, TRACK_FIELDS } from '../comparison/compared-fields.js';
import { knownMarkets } from '../comparison/market-comparison.js';
import type { BaselineState } from './baseline.js';

/** `unseen` means that the observation did not read the entity. `overtaken` means that the baseline has changed. */
export type Visibility = 'contradicted' | 'unseen' | 'overtaken';

export function visibilityOf(
  difference: Difference,
  baseline: BaselineState,
  observation: Exclude<Observation, { kind: 'incomplete' }>,
): Visibility {
  if (isOvertaken(difference, baseline)) return 'overtaken';
  if (observation.kind === 'artist_gone') {
    return difference.type === 'artist_restored' ? 'contradicted' : 'unseen';
  }
  if (observation.kind === 'artist_merged') {
    return ['artist_restored', 'artist_removed', 'artist_merged'].includes(difference.type) ? 'contradicted' : 'unseen';
  }
  return covers(difference, observation.state) ? 'contradicted' : 'unseen';
}

function isOvertaken(difference: Difference, baseline: BaselineState): boolean {
  const { type, entityId, entityType, releaseId } = difference;
  if (type === 'artist_restored') return !baseline.artistGone;
  if (type === 'artist_merged') return baseline.mergedInto !== undefined;
  if (baseline.artistGone) return true;
  switch (entityType) {
    case 'artist':
      return affectedIds(difference)?.every((id) => releaseIn(baseline, id) === undefined) ?? false;
    case 'release': {
      const isKnown = releaseIn(baseline, entityId) !== undefined;
      return type === 'release_added' || type === 'release_restored' ? isKnown : !isKnown;
    }
    case 'track': {
      const release = releaseIn(baseline, releaseId);
      if (release === undefined) return true;
      const isKnown = release.tracks?.some(({ platformId }) => platformId === entityId);
      return type === 'track_added' ? isKnown === true : isKnown === false;
    }
  }
}

function covers(difference: Difference, seen: CatalogueState): boolean {
  const { type, entityId, releaseId } = difference;
  if (isFieldChange(type)) return knowsField(difference, seen);
  switch (type) {
    case 'artist_removed':
    case 'artist_merged':
    case 'artist_restored':
    case 'release_removed':
    case 'release_moved':
    case 'release_added':
    case 'release_restored':
      return true;
    case 'followers_spike':
    case 'followers_drop':
      return seen.artist.followers !== undefined;
    case 'release_replaced':
      return releaseIn(seen, entityId) !== undefined || releaseIn(seen, replacementId(difference)) === undefined;
    case 'availability_reduced':
    case 'availability_expanded':
      return (affectedIds(difference) ?? [entityId]).some((id) => {
        const release = releaseIn(seen, id);
        return release !== undefined && knownMarkets(release) !== undefined;
      });
    case 'track_removed':
    case 'track_added':
    case 'track_replaced':
      return releaseIn(seen, releaseId)?.tracks !== undefined;
  }
}

function knowsField(difference: Difference, seen: CatalogueState): boolean {
  const { entityType, entityId, releaseId } = difference;
  switch (entityType) {
    case 'artist':
      return knows(ARTIST_FIELDS, seen.artist, difference);
    case 'release':
      return knows(RELEASE_FIELDS, releaseIn(seen, entityId), difference);
    case 'track': {
      const track = releaseIn(seen, releaseId)?.tracks?.find(({ platformId }) => platformId === entityId);
      return knows(TRACK_FIELDS, track, difference);
    }
  }
}

export function affectedIds(difference: Difference): readonly string[] | null {
  const whole = catalogueAvailability(difference);
  return whole && [...whole.releases, ...whole.unseen].map(({ platformId }) => platformId);
}

function releaseIn(state: CatalogueState, id: string | null): ReleaseState | undefined {
  return state.releases.find(({ platformId }) => platformId === id);
}

function knows<Entity>(
  fields: readonly ComparedField<Entity>[],
  entity: Entity | undefined,
  { type }: Difference,
): boolean {
  return entity !== undefined && fields.some((field) => field.type === type && field.isKnown(entity));
}

/** A dismissed difference stays ignored for as long as observations keep showing it. */
export function excludeIgnored(
  found: readonly Difference[],
  ignored: readonly { readonly difference: Difference }[],
): readonly Difference[] {
  if (ignored.length === 0) return found;
  const keys = new Set(ignored.map(({ difference }) => difference.key));
  return found.filter(({ key }) => !keys.has(key));
}

/**
 * @param found includes ignored differences
 * @param baseline the baseline after the observation was applied
 */
export function endedIgnores<Ignored extends { readonly difference: Difference }>(
  ignored: readonly Ignored[],
  found: readonly Difference[],
  baseline: BaselineState,
  observation: Exclude<Observation, { kind: 'incomplete' }>,
): readonly Ignored[] {
  const keys = new Set(found.map(({ key }) => key));
  return ignored.filter(
    ({ difference }) => !keys.has(difference.key) && visibilityOf(difference, baseline, observation) !== 'unseen',
  );
}

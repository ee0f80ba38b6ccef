import type { CatalogueState, ReleaseState, TrackState } from '../catalogue.js';
import type { DetectedChangeType } from '../change/change-types.js';
import type { JsonValue } from '../change/difference.js';
import { CREDITS, FLAG, ISRC, OPAQUE, RELEASE_DATE, TEXT, UPC, type ValueIdentity } from './value-identity.js';

export type ArtistState = CatalogueState['artist'];

export interface FieldDifference {
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly became: string;
}

/** One field of an entity that has a change type of its own. */
export interface ComparedField<Entity> {
  readonly type: DetectedChangeType;
  isKnown(entity: Entity): boolean;
  /** Null when the field is the same, or unknown on either side. */
  difference(before: Entity, after: Entity): FieldDifference | null;
  /** `before` with the field as it is in `after`. */
  adopt(before: Entity, after: Entity): Entity;
  /** Whether `after` knows what `before` does not, without contradicting it. */
  teaches(before: Entity, after: Entity): boolean;
}

function field<Entity, Name extends keyof Entity>(
  type: DetectedChangeType,
  name: Name,
  identity: ValueIdentity<NonNullable<Entity[Name]>>,
): ComparedField<Entity> {
  type Value = NonNullable<Entity[Name]>;
  const isKnown = (value: Entity[Name]): value is Value =>
    value !== undefined && value !== null && identity.isKnown(value);
  return {
    type,
    isKnown: (entity) => isKnown(entity[name]),
    difference(before, after) {
      const [from, to] = [before[name], after[name]];
      if (from === to || !isKnown(from) || !isKnown(to) || identity.same(from, to)) return null;
      return { before: toJson(from), after: toJson(to), became: identity.canonical(to) };
    },
    adopt: (before, after) => (isKnown(after[name]) ? { ...before, [name]: after[name] } : before),
    teaches(before, after) {
      const [from, to] = [before[name], after[name]];
      if (from === to || !isKnown(to)) return false;
      return !isKnown(from) || identity.saysMore(from, to);
    },
  };
}

/** Compared fields hold text, flags and credits: what JSON holds, but for an id that is undefined. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

export const ARTIST_FIELDS: readonly ComparedField<ArtistState>[] = [
  field('artist_name_changed', 'name', TEXT),
  field('artist_image_changed', 'imageId', OPAQUE),
];

/** A release's own credits and flag have no type: they are those of its tracks, which have. */
export const RELEASE_FIELDS: readonly ComparedField<ReleaseState>[] = [
  field('release_title_changed', 'title', TEXT),
  field('release_date_changed', 'releaseDate', RELEASE_DATE),
  field('artwork_changed', 'artworkId', OPAQUE),
  field('label_changed', 'label', TEXT),
  field('upc_changed', 'upc', UPC),
];

export const TRACK_FIELDS: readonly ComparedField<TrackState>[] = [
  field('track_title_changed', 'title', TEXT),
  field('isrc_changed', 'isrc', ISRC),
  field('explicit_flag_changed', 'explicit', FLAG),
  field('credits_changed', 'credits', CREDITS),
];

import type { CatalogueState, ReleaseState, TrackState } from '../catalogue.js';
import type { EntityType, FieldChangeType } from '../change/change-types.js';
import type { JsonValue } from '../change/difference.js';
import { CREDITS, FLAG, ISRC, PICTURE, RELEASE_DATE, TEXT, UPC, type ValueIdentity } from './value-identity.js';

export type ArtistState = CatalogueState['artist'];

export interface FieldDifference {
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly became: string;
}

/** One field of an entity that has a change type of its own. */
export interface ComparedField<Entity> {
  readonly type: FieldChangeType;
  isKnown(entity: Entity): boolean;
  /** Null when the field is the same, or unknown on either side. */
  difference(before: Entity, after: Entity): FieldDifference | null;
  /** `before` with the field as it is in `after`. */
  adopt(before: Entity, after: Entity): Entity;
  /** Whether `after` knows what `before` does not, without contradicting it. */
  teaches(before: Entity, after: Entity): boolean;
}

type FieldOf<Entity> = Omit<ComparedField<Entity>, 'type'>;

function field<Entity, Name extends keyof Entity>(
  name: Name,
  identity: ValueIdentity<NonNullable<Entity[Name]>>,
): FieldOf<Entity> {
  type Value = NonNullable<Entity[Name]>;
  const isKnown = (value: Entity[Name]): value is Value =>
    value !== undefined && value !== null && identity.isKnown(value);
  return {
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

/** A table with each field change of the entity: the compiler names a type that has no field here. */
function fieldsOf<Entity, Kind extends EntityType>(
  table: Readonly<Record<FieldChangeType<Kind>, FieldOf<Entity>>>,
): readonly ComparedField<Entity>[] {
  return Object.entries<FieldOf<Entity>>(table).map(([type, compared]) => ({
    ...compared,
    type: type as FieldChangeType<Kind>,
  }));
}

export const ARTIST_FIELDS = fieldsOf<ArtistState, 'artist'>({
  artist_name_changed: field('name', TEXT),
  artist_image_changed: field('imageId', PICTURE),
});

/** A release's own credits and flag have no type: they are those of its tracks, which have. */
export const RELEASE_FIELDS = fieldsOf<ReleaseState, 'release'>({
  release_title_changed: field('title', TEXT),
  release_date_changed: field('releaseDate', RELEASE_DATE),
  artwork_changed: field('artworkId', PICTURE),
  label_changed: field('label', TEXT),
  upc_changed: field('upc', UPC),
});

export const TRACK_FIELDS = fieldsOf<TrackState, 'track'>({
  track_title_changed: field('title', TEXT),
  isrc_changed: field('isrc', ISRC),
  explicit_flag_changed: field('explicit', FLAG),
  credits_changed: field('credits', CREDITS),
});

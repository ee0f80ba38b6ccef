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

export interface ComparedField<Entity> {
  readonly type: FieldChangeType;
  isKnown(entity: Entity): boolean;
  /** Returns null if the values are equal or either of them is unknown. */
  difference(before: Entity, after: Entity): FieldDifference | null;
  adopt(before: Entity, after: Entity): Entity;
  /** True if `after` adds information to `before` without contradicting it. */
  teaches(before: Entity, after: Entity): boolean;
}

type FieldRules<Entity> = Omit<ComparedField<Entity>, 'type'>;

function field<Entity, Name extends keyof Entity>(
  name: Name,
  identity: ValueIdentity<NonNullable<Entity[Name]>>,
): FieldRules<Entity> {
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

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

/** The call does not compile if a field is missing. */
function defineFields<Entity, Kind extends EntityType>(
  table: Readonly<Record<FieldChangeType<Kind>, FieldRules<Entity>>>,
): readonly ComparedField<Entity>[] {
  return Object.entries<FieldRules<Entity>>(table).map(([type, compared]) => ({
    ...compared,
    type: type as FieldChangeType<Kind>,
  }));
}

export const ARTIST_FIELDS = defineFields<ArtistState, 'artist'>({
  artist_name_changed: field('name', TEXT),
  artist_image_changed: field('imageId', PICTURE),
});

export const RELEASE_FIELDS = defineFields<ReleaseState, 'release'>({
  release_title_changed: field('title', TEXT),
  release_date_changed: field('releaseDate', RELEASE_DATE),
  artwork_changed: field('artworkId', PICTURE),
  label_changed: field('label', TEXT),
  upc_changed: field('upc', UPC),
});

export const TRACK_FIELDS = defineFields<TrackState, 'track'>({
  track_title_changed: field('title', TEXT),
  isrc_changed: field('isrc', ISRC),
  explicit_flag_changed: field('explicit', FLAG),
  credits_changed: field('credits', CREDITS),
});

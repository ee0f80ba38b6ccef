/** Parses stored values, including those written by earlier versions. */

import { catalogueAvailability } from './catalogue-availability.js';
import { CHANGE_TYPES, type ChangeValueKind } from './change-types.js';
import type { Difference, JsonValue } from './difference.js';

export interface CreditValue {
  readonly platformId: string | null;
  readonly name: string;
}

export interface ReleaseValue {
  readonly platformId: string;
  readonly title: string | null;
  readonly type: string | null;
  readonly releaseDate: string | null;
  readonly upc: string | null;
  /** Null if the tracks were not read, or if the change was stored by an older version. */
  readonly trackCount: number | null;
  readonly label?: string | undefined;
  readonly artworkId?: string | undefined;
}

export interface TrackValue {
  readonly platformId: string;
  readonly title: string | null;
  readonly isrc: string | null;
  readonly position: number | null;
}

/** `of` is the artist's total number of releases. */
export interface CatalogueValue {
  readonly markets: readonly string[];
  readonly releases: readonly { readonly platformId: string; readonly title: string }[];
  readonly of: number;
}

export type ChangeValue =
  | { readonly kind: 'text' | 'date' | 'picture'; readonly value: string }
  | { readonly kind: 'flag'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'credits'; readonly value: readonly CreditValue[] }
  | { readonly kind: 'markets'; readonly value: readonly string[] }
  | { readonly kind: 'release'; readonly value: ReleaseValue }
  | { readonly kind: 'track'; readonly value: TrackValue }
  | { readonly kind: 'catalogue'; readonly value: CatalogueValue }
  /** An object reported by another detector, for a change type that ours does not detect. */
  | { readonly kind: 'json'; readonly value: { readonly [name: string]: JsonValue } };

export interface ChangeValues {
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

export function changeValues(difference: Difference): ChangeValues {
  const whole = catalogueAvailability(difference);
  if (whole !== null) {
    const { markets, releases, unseen, of } = whole;
    const affected = [...releases, ...unseen].map(({ platformId, title }) => ({ platformId, title }));
    const value = { kind: 'catalogue', value: { markets, releases: affected, of } } as const;
    return difference.type === 'availability_reduced' ? { before: value, after: null } : { before: null, after: value };
  }
  const { value } = CHANGE_TYPES[difference.type];
  return { before: changeValue(value, difference.before), after: changeValue(value, difference.after) };
}

/** Returns null if the stored value is of a different kind. */
export function changeValue(kind: ChangeValueKind, stored: JsonValue): ChangeValue | null {
  switch (kind) {
    case 'nothing':
      return null;
    case 'text':
    case 'date':
    case 'picture':
      return typeof stored === 'string' ? { kind, value: stored } : null;
    case 'flag':
      return typeof stored === 'boolean' ? { kind, value: stored } : null;
    case 'number':
      return typeof stored === 'number' ? { kind, value: stored } : null;
    case 'credits':
      return isList(stored) ? { kind, value: stored.flatMap(credit) } : null;
    case 'markets':
      return isList(stored) ? { kind, value: stored.map(String) } : null;
    case 'release': {
      const id = textAt(stored, 'platformId');
      if (id === null) return null;
      const [title, type] = [textAt(stored, 'title'), textAt(stored, 'type')];
      const [releaseDate, upc] = [textAt(stored, 'releaseDate'), textAt(stored, 'upc')];
      return {
        kind,
        value: {
          ...{ platformId: id, title, type, releaseDate, upc, trackCount: numberAt(stored, 'trackCount') },
          ...{ label: textAt(stored, 'label') ?? undefined, artworkId: textAt(stored, 'artworkId') ?? undefined },
        },
      };
    }
    case 'track': {
      const id = textAt(stored, 'platformId');
      if (id === null) return null;
      const [title, isrc] = [textAt(stored, 'title'), textAt(stored, 'isrc')];
      return { kind, value: { platformId: id, title, isrc, position: numberAt(stored, 'position') } };
    }
  }
}

export function changeValueText(value: ChangeValue): string {
  switch (value.kind) {
    case 'text':
    case 'date':
    case 'picture':
      return value.value;
    case 'flag':
      return value.value ? 'yes' : 'no';
    case 'number':
      return String(value.value);
    case 'credits':
      return value.value.map(({ name }) => name).join(', ');
    case 'markets':
      return value.value.join(', ');
    case 'release': {
      const { title, platformId, type, releaseDate, upc, trackCount } = value.value;
      return withFacts(title ?? platformId, [
        type,
        releaseDate,
        upc && `UPC ${upc}`,
        trackCount && tracksText(trackCount),
      ]);
    }
    case 'track': {
      const { title, platformId, position, isrc } = value.value;
      return withFacts(title ?? platformId, [position && `track ${position}`, isrc && `ISRC ${isrc}`]);
    }
    case 'catalogue': {
      const { markets, releases, of } = value.value;
      return `${markets.join(', ')} (${releases.length} of ${of} releases)`;
    }
    case 'json':
      return JSON.stringify(value.value);
  }
}

export function tracksText(count: number): string {
  return `${count} track${count === 1 ? '' : 's'}`;
}

function withFacts(name: string, facts: readonly (string | number | null)[]): string {
  const known = facts.filter(Boolean);
  return known.length === 0 ? name : `${name} (${known.join(', ')})`;
}

function credit(stored: JsonValue): CreditValue[] {
  const name = textAt(stored, 'name');
  return name === null ? [] : [{ platformId: textAt(stored, 'platformId'), name }];
}

function isList(stored: JsonValue): stored is readonly JsonValue[] {
  return Array.isArray(stored);
}

function at(stored: JsonValue, name: string): JsonValue {
  if (typeof stored !== 'object' || stored === null || isList(stored)) return null;
  return stored[name] ?? null;
}

function numberAt(stored: JsonValue, name: string): number | null {
  const value = at(stored, name);
  return typeof value === 'number' ? value : null;
}

function textAt(stored: JsonValue, name: string): string | null {
  const value = at(stored, name);
  return typeof value === 'string' ? value : null;
}

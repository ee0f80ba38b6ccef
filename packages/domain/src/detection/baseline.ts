/**
 * What is held to be true of an artist's catalogue. The first complete observation is the baseline and emits nothing;
 * from then on it moves in two ways only: it learns what it did not know, and it takes over what was confirmed. A
 * suspicion never touches it.
 */
import type { CatalogueState } from '../catalogue.js';
import type { JsonValue } from '../change/difference.js';
import { readCatalogue, serialiseCatalogue } from './catalogue-record.js';
import { type ConfirmedTrend, readTrend } from './followers-trend.js';
import { JsonReader, readText } from './json-reading.js';

export interface RemovedRelease {
  readonly platformId: string;
  readonly title: string | undefined;
}

export interface BaselineState extends CatalogueState {
  /** Releases whose removal was confirmed, so that their return is `release_restored` and not `release_added`. */
  readonly removed: readonly RemovedRelease[];
  /** The platform no longer has the artist, and that was confirmed. */
  readonly artistGone: boolean;
  /** The last confirmed spike or drop that still lasts, so that it is told once. */
  readonly followersTrend: ConfirmedTrend | null;
}

/** Followers and listeners are left out: they have a series of their own, and would rewrite the baseline every poll. */
export function firstBaseline({ artist, releases }: CatalogueState): BaselineState {
  return {
    artist: { ...artist, followers: undefined, monthlyListeners: undefined },
    releases,
    removed: [],
    artistGone: false,
    followersTrend: null,
  };
}

/** For a JSON column. Unknown fields are left out. */
export function serialiseBaseline(baseline: BaselineState): JsonValue {
  return { version: 1, ...(serialiseCatalogue(baseline) as { readonly [name: string]: JsonValue }) };
}

/** @throws {UnreadableRecordError} for anything that `serialiseBaseline` did not write. */
export function parseBaseline(value: unknown): BaselineState {
  const reader = new JsonReader(value, 'baseline');
  return {
    ...readCatalogue(reader),
    removed: reader.at('removed').list((removed) => ({
      platformId: removed.at('platformId').text(),
      title: removed.at('title').maybe(readText),
    })),
    artistGone: reader.at('artistGone').flag(),
    followersTrend: reader.at('followersTrend').maybe(readTrend) ?? null,
  };
}

import type { CatalogueState, Credit, ReleaseState, TrackState } from '../catalogue.js';
import { isAvailability } from '../change/catalogue-availability.js';
import { isFieldChange } from '../change/change-types.js';
import { type Difference, isReplacement } from '../change/difference.js';
import { type ConfirmedTrend, readTrend } from './followers-trend.js';
import { JsonReader } from './json-reader.js';

export interface RemovedRelease {
  readonly platformId: string;
  readonly title: string | undefined;
}

/** The accepted state of a catalogue. It only changes when a change is confirmed or a field becomes known. */
export interface BaselineState extends CatalogueState {
  /** If one of these releases reappears, it is reported as `release_restored`. */
  readonly removed: readonly RemovedRelease[];
  readonly artistGone: boolean;
  /** The artist's new platform id after a confirmed merge. */
  readonly mergedInto?: string | undefined;
  /** Stored so that the trend is reported only once. */
  readonly followersTrend: ConfirmedTrend | null;
  /**
   * When the artist was first observed without releases. The platform may have hidden them, so this baseline is not
   * used for comparisons.
   */
  readonly emptySince?: Date | undefined;
  /** Stored so that a value that keeps changing back and forth is not reported each time. */
  readonly turns: readonly RecentChange[];
}

/** Omits followers and listeners, because they would cause the baseline to be rewritten on every poll. */
export function firstBaseline({ artist, ...listed }: CatalogueState, emptySince?: Date): BaselineState {
  return {
    artist: { ...artist, followers: undefined, monthlyListeners: undefined },
    ...listed,
    removed: [],
    artistGone: false,
    followersTrend: null,
    ...(emptySince && { emptySince }),
    turns: [],
  };
}

export function serialiseBaseline(baseline: BaselineState): BaselineState & { readonly version: 1 } {
  return { version: 1, ...baseline };
}

/** @throws {UnreadableRecordError} if `serialiseBaseline` did not write the value */
export function parseBaseline(value: unknown): BaselineState {
  const reader = new JsonReader(value, 'baseline');
  const trend = reader.at('followersTrend').maybe();
  const turns = reader.at('turns').maybe();
  return {
    ...readCatalogue(reader),
    removed: reader.at('removed').list((removed) => ({
      platformId: removed.at('platformId').text(),
      title: removed.at('title').maybe()?.text(),
    })),
    artistGone: reader.at('artistGone').flag(),
    mergedInto: reader.at('mergedInto').maybe()?.text(),
    followersTrend: trend === undefined ? null : readTrend(trend),
    emptySince: reader.at('emptySince').maybe()?.instant(),
    // Baselines written by older versions don't have `turns`.
    turns: turns === undefined ? [] : readRecentChanges(turns),
  };
}

/** @throws {UnreadableRecordError} */
export function readCatalogue(reader: JsonReader): CatalogueState {
  const artist = reader.at('artist');
  return {
    artist: {
      platformId: artist.at('platformId').text(),
      name: artist.at('name').maybe()?.text(),
      imageId: artist.at('imageId').maybe()?.text(),
      followers: artist.at('followers').maybe()?.number(),
      monthlyListeners: artist.at('monthlyListeners').maybe()?.number(),
    },
    releases: reader.at('releases').list(readRelease),
    unknownReleases: reader.at('unknownReleases').maybe()?.number(),
  };
}

export function readRelease(reader: JsonReader): ReleaseState {
  return {
    platformId: reader.at('platformId').text(),
    title: reader.at('title').maybe()?.text(),
    type: reader.at('type').maybe()?.text(),
    releaseDate: reader.at('releaseDate').maybe()?.text(),
    artworkId: reader.at('artworkId').maybe()?.text(),
    label: reader.at('label').maybe()?.text(),
    upc: reader.at('upc').maybe()?.text(),
    explicit: reader.at('explicit').maybe()?.flag(),
    credits: reader.at('credits').maybe()?.list(readCredit),
    markets: reader
      .at('markets')
      .maybe()
      ?.list((market) => market.text()),
    marketsSeenOnce: reader.at('marketsSeenOnce').maybe()?.flag(),
    tracks: reader.at('tracks').maybe()?.list(readTrack),
    unknownTracks: reader.at('unknownTracks').maybe()?.number(),
  };
}

function readTrack(reader: JsonReader): TrackState {
  return {
    platformId: reader.at('platformId').text(),
    title: reader.at('title').maybe()?.text(),
    isrc: reader.at('isrc').maybe()?.text(),
    position: reader.at('position').maybe()?.number(),
    explicit: reader.at('explicit').maybe()?.flag(),
    credits: reader.at('credits').maybe()?.list(readCredit),
  };
}

function readCredit(reader: JsonReader): Credit {
  return { platformId: reader.at('platformId').maybe()?.text(), name: reader.at('name').text() };
}

interface RecentChange {
  readonly key: string;
  readonly at: Date;
}

const WINDOW_MS = 30 * 86_400_000;

function readRecentChanges(changes: JsonReader): RecentChange[] {
  return changes.list((change) => ({ key: change.at('key').text(), at: change.at('at').instant() }));
}

/**
 * Some values change back and forth while a platform's servers disagree (spotify/web-api, issues 943 and 1023). A
 * change that repeats within 30 days needs as much evidence as a removal on hold.
 */
export function markUnsteady(
  found: readonly Difference[],
  changes: readonly RecentChange[],
  observedAt: Date,
): Difference[] {
  const keys = new Set(withinWindow(changes, observedAt).map(({ key }) => key));
  return found.map((one) => (keys.has(one.key) ? { ...one, unsteady: true } : one));
}

export function addRecentChanges(
  changes: readonly RecentChange[],
  confirmed: readonly Difference[],
  observedAt: Date,
): readonly RecentChange[] {
  const more = confirmed.filter(canChangeBack).map(({ key }) => ({ key, at: observedAt }));
  return more.length === 0 ? changes : [...withinWindow(changes, observedAt), ...more];
}

function withinWindow(changes: readonly RecentChange[], observedAt: Date): readonly RecentChange[] {
  return changes.filter(({ at }) => observedAt.getTime() - at.getTime() < WINDOW_MS);
}

/** Excludes follower counts, which are already compared with the last confirmed level. */
function canChangeBack(difference: Difference): boolean {
  return isFieldChange(difference.type) || isAvailability(difference) || isReplacement(difference);
}

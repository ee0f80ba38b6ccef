import type { ReleaseState, TrackState } from '../catalogue.js';
import { type Difference, type JsonValue, makeDifference, replacementId } from '../change/difference.js';
import { RELEASE_FIELDS, TRACK_FIELDS } from './compared-fields.js';
import { compareMarkets } from './market-comparison.js';
import { pairByMark, revealedMembers } from './pairing.js';
import { foldText, ISRC, UPC } from './value-identity.js';

export function compareRelease(before: ReleaseState, after: ReleaseState, found: Difference[]): void {
  if (before === after) return;
  for (const field of RELEASE_FIELDS) {
    const difference = field.difference(before, after);
    if (difference === null) continue;
    const entityName = before.title ?? after.title;
    found.push(makeDifference({ type: field.type, entityId: before.platformId, entityName, ...difference }));
  }
  found.push(...compareMarkets(before, after), ...compareTracks(before, after));
}

/** If an added and a removed release have the same UPC or recordings, reports them as a replacement. */
export function compareReleaseMembers(
  gone: readonly ReleaseState[],
  added: readonly ReleaseState[],
  removedBefore: ReadonlySet<string>,
  found: Difference[],
): void {
  const byUpc = pairByMark(gone, added, (release) => (release.upc && UPC.canonical(release.upc)) || undefined);
  const byIsrcs = pairByMark(byUpc.gone, byUpc.added, isrcSet);

  for (const [was, is] of [...byUpc.pairs, ...byIsrcs.pairs]) {
    found.push(
      makeDifference({
        type: 'release_replaced',
        entityId: was.platformId,
        entityName: was.title ?? is.title,
        before: described(was),
        after: described(is),
        became: is.platformId,
      }),
    );
  }
  for (const release of byIsrcs.gone) {
    const parts = { entityId: release.platformId, entityName: release.title };
    found.push(makeDifference({ type: 'release_removed', ...parts, before: described(release) }));
  }
  for (const release of byIsrcs.added) {
    found.push(addition(release.platformId, release.title, described(release), removedBefore));
  }
}

/** Converts a replacement into an addition, because the old release still exists. */
export function additionIn(replacement: Difference, removedBefore: ReadonlySet<string>): Difference {
  const { after } = replacement;
  const title = typeof after === 'object' && after !== null && 'title' in after ? after.title : null;
  const name = typeof title === 'string' ? title : undefined;
  return addition(replacementId(replacement), name, after, removedBefore);
}

function addition(
  entityId: string,
  entityName: string | undefined,
  after: JsonValue,
  removedBefore: ReadonlySet<string>,
): Difference {
  const type = removedBefore.has(entityId) ? 'release_restored' : 'release_added';
  return makeDifference({ type, entityId, entityName, after });
}

/** Returns undefined unless every track has an ISRC, because a partial set proves nothing. */
function isrcSet({ tracks }: ReleaseState): string | undefined {
  if (tracks === undefined || tracks.length === 0) return undefined;
  const isrcs = new Set<string>();
  for (const { isrc } of tracks) {
    if (!isrc) return undefined;
    isrcs.add(ISRC.canonical(isrc));
  }
  return [...isrcs].sort().join(' ');
}

function described({ platformId, title, type, releaseDate, upc, tracks, label, artworkId }: ReleaseState): JsonValue {
  return {
    platformId,
    title: title ?? null,
    type: type ?? null,
    releaseDate: releaseDate ?? null,
    upc: upc ?? null,
    trackCount: tracks?.length ?? null,
    label: label ?? null,
    artworkId: artworkId ?? null,
  };
}

function compareTracks(before: ReleaseState, after: ReleaseState): readonly Difference[] {
  if (before.tracks === undefined || after.tracks === undefined) return NONE;
  const differences: Difference[] = [];
  const release = { platformId: before.platformId, name: before.title ?? after.title };

  if (areAligned(before.tracks, after.tracks)) {
    for (let index = 0; index < before.tracks.length; index += 1) {
      const [was, is] = [before.tracks[index], after.tracks[index]];
      if (was && is) compareFields(release, was, is, differences);
    }
    return differences;
  }

  const observed = new Map(after.tracks.map((track) => [track.platformId, track]));
  const known = new Set(before.tracks.map((track) => track.platformId));
  const gone: TrackState[] = [];
  for (const track of before.tracks) {
    const is = observed.get(track.platformId);
    if (is === undefined) gone.push(track);
    else compareFields(release, track, is, differences);
  }
  const { revealed } = revealedTracks(before, after);
  const added = after.tracks.filter((track) => !known.has(track.platformId) && !revealed.includes(track));
  compareMembers(release, gone, added, differences);
  return differences;
}

export function revealedTracks(before: ReleaseState, after: ReleaseState) {
  return revealedMembers<TrackState>(
    { members: before.tracks ?? [], unknown: before.unknownTracks ?? 0 },
    { members: after.tracks ?? [], unknown: after.unknownTracks ?? 0 },
  );
}

const NONE: readonly Difference[] = [];

interface ReleaseReference {
  readonly platformId: string;
  readonly name: string | undefined;
}

function areAligned(before: readonly TrackState[], after: readonly TrackState[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((track, index) => track.platformId === after[index]?.platformId);
}

function compareFields(release: ReleaseReference, was: TrackState, is: TrackState, found: Difference[]): void {
  for (const field of TRACK_FIELDS) {
    const difference = field.difference(was, is);
    if (difference === null) continue;
    const entityName = was.title ?? is.title;
    found.push(makeDifference({ type: field.type, entityId: was.platformId, entityName, release, ...difference }));
  }
}

/** Reports a removed and an added track as a replacement if they have the same ISRC, or the same title and position. */
function compareMembers(
  release: ReleaseReference,
  gone: readonly TrackState[],
  added: readonly TrackState[],
  found: Difference[],
): void {
  const byIsrc = pairByMark(gone, added, (track) => (track.isrc ? ISRC.canonical(track.isrc) : undefined));
  const byPlace = pairByMark(byIsrc.gone, byIsrc.added, positionAndTitle);

  for (const [was, is] of [...byIsrc.pairs, ...byPlace.pairs]) {
    found.push(
      makeDifference({
        type: 'track_replaced',
        entityId: was.platformId,
        entityName: was.title ?? is.title,
        release,
        before: describedTrack(was),
        after: describedTrack(is),
        became: is.platformId,
      }),
    );
  }
  for (const track of byPlace.gone) {
    const parts = { entityId: track.platformId, entityName: track.title, release };
    found.push(makeDifference({ type: 'track_removed', ...parts, before: describedTrack(track) }));
  }
  for (const track of byPlace.added) {
    const parts = { entityId: track.platformId, entityName: track.title, release };
    found.push(makeDifference({ type: 'track_added', ...parts, after: describedTrack(track) }));
  }
}

function positionAndTitle(track: TrackState): string | undefined {
  const title = track.title === undefined ? '' : foldText(track.title);
  return track.position === undefined || title === '' ? undefined : `${track.position} ${title}`;
}

function describedTrack({ platformId, title, isrc, position }: TrackState): JsonValue {
  return { platformId, title: title ?? null, isrc: isrc ?? null, position: position ?? null };
}

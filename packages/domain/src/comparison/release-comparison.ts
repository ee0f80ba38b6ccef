import type { ReleaseState } from '../catalogue.js';
import { type Difference, type JsonValue, makeDifference, replacementId } from '../change/difference.js';
import { RELEASE_FIELDS } from './compared-fields.js';
import { compareMarkets } from './market-comparison.js';
import { pairByMark } from './pairing.js';
import { compareTracks } from './track-comparison.js';
import { ISRC, UPC } from './value-identity.js';

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

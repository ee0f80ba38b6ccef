export interface PlacedTrack {
  /** 1-based. */
  readonly disc: number | undefined;
  /** 1-based place on the disc. */
  readonly place: number | undefined;
}

/**
 * The place of each track over all discs. It is counted from the greatest place on the discs before, not from the
 * number of tracks there, so that a track that is taken down does not move the ones after it.
 */
export function placesOverDiscs(tracks: readonly PlacedTrack[]): (number | undefined)[] {
  const greatest = new Map<number, number>();
  for (const { disc, place } of tracks) {
    if (disc === undefined || place === undefined) return tracks.map(() => undefined);
    greatest.set(disc, Math.max(greatest.get(disc) ?? 0, place));
  }
  const discs = [...greatest];
  return tracks.map(({ disc = 1, place = 1 }) =>
    discs.reduce((sum, [other, places]) => (other < disc ? sum + places : sum), place),
  );
}

import type { ArtistId } from '@artist-watch/domain/ids';

/** How closely a release is to be read whose turn has come. */
export type TurnDepth = 'deep' | 'full';

/** Releases whose turn has come, by their id on the platform. */
export type Turns = ReadonlyMap<string, TurnDepth>;

const NONE: Turns = new Map();

/**
 * Turns that came and were not read: the closer reading failed, or the limit cut them. The wheel itself would bring them
 * up again only after another whole turn, and on a bad week of the platform it would be missed again and again.
 *
 * Kept in this process alone: what a restart or another replica does not know of comes up with its next turn.
 */
export class OwedReadings {
  readonly #byArtist = new Map<ArtistId, Turns>();
  readonly #mostArtists: number;

  /** @param mostArtists beyond this the oldest debts are forgotten: nobody may watch those artists any more. */
  constructor(mostArtists = 100_000) {
    this.#mostArtists = mostArtists;
  }

  of(artistId: ArtistId): Turns {
    return this.#byArtist.get(artistId) ?? NONE;
  }

  has(artistId: ArtistId): boolean {
    return this.#byArtist.has(artistId);
  }

  /** @param read what was read completely of the turns that had come. */
  settle(artistId: ArtistId, turns: Turns, read: readonly string[]): void {
    const isRead = new Set(read);
    const left = new Map([...turns].filter(([releaseId]) => !isRead.has(releaseId)));
    this.#byArtist.delete(artistId);
    if (left.size > 0) this.#byArtist.set(artistId, left);
    const [oldest] = this.#byArtist.keys();
    if (oldest !== undefined && this.#byArtist.size > this.#mostArtists) this.#byArtist.delete(oldest);
  }
}

import type { ArtistId } from '@artist-watch/domain/ids';

/** How closely a release is to be read whose turn has come. */
export type TurnDepth = 'deep' | 'full';

/** Releases whose turn has come, by their id on the platform. */
export type Turns = ReadonlyMap<string, TurnDepth>;

interface Debt {
  readonly depth: TurnDepth;
  readonly missed: number;
}

const NONE: Turns = new Map();

/** What can never be read must not be asked for at each poll for ever: then it waits for its next turn. */
const MOST_MISSES = 10;

/**
 * Turns that came and were not read: the platform failed, or the limit cut them. The wheel itself would bring them up
 * again only after another whole turn, and on a bad week of the platform they would be missed again and again.
 *
 * Kept in this process alone: what a restart or another replica does not know of comes up with its next turn.
 */
export class OwedReadings {
  readonly #byArtist = new Map<ArtistId, ReadonlyMap<string, Debt>>();
  readonly #mostArtists: number;

  /** @param mostArtists beyond this the oldest debts are forgotten: nobody may watch those artists any more. */
  constructor(mostArtists = 100_000) {
    this.#mostArtists = mostArtists;
  }

  of(artistId: ArtistId): Turns {
    const debts = this.#byArtist.get(artistId);
    return debts ? new Map([...debts].map(([releaseId, { depth }]) => [releaseId, depth])) : NONE;
  }

  has(artistId: ArtistId): boolean {
    return this.#byArtist.has(artistId);
  }

  /**
   * @param turns all that had come up, with what was owed.
   * @param read the releases that were read as closely as their turn asked for.
   */
  settle(artistId: ArtistId, turns: Turns, read: readonly string[]): void {
    const isRead = new Set(read);
    const before = this.#byArtist.get(artistId);
    const debts = [...turns]
      .filter(([releaseId]) => !isRead.has(releaseId))
      .map(([releaseId, depth]) => [releaseId, { depth, missed: (before?.get(releaseId)?.missed ?? 0) + 1 }] as const)
      .filter(([, { missed }]) => missed < MOST_MISSES);
    this.#byArtist.delete(artistId);
    if (debts.length > 0) this.#byArtist.set(artistId, new Map(debts));
    const [oldest] = this.#byArtist.keys();
    if (oldest !== undefined && this.#byArtist.size > this.#mostArtists) this.#byArtist.delete(oldest);
  }
}

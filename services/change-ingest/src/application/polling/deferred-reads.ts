import type { ArtistId } from '@artist-watch/domain/ids';

/** How closely a release is to be read whose turn has come. */
export type TurnDepth = 'deep' | 'full';

/** Releases whose turn has come, by their id on the platform. */
export type Turns = ReadonlyMap<string, TurnDepth>;

interface DeferredRead {
  readonly depth: TurnDepth;
  /** How often it was asked for in vain. */
  readonly missed: number;
}

type ReadsByRelease = ReadonlyMap<string, DeferredRead>;

const NONE: ReadsByRelease = new Map();

/** A release that can never be read is given up after so many polls, until its next turn. */
const MOST_MISSES = 10;

/** What a reading made of the turns that had come. */
export interface TurnsTaken {
  /** All that had come up, with what was deferred. */
  readonly turns: Turns;
  /** The releases that were asked for. */
  readonly asked: readonly string[];
  /** Those that were read as closely as their turn asked for. */
  readonly read: readonly string[];
}

/**
 * Turns that came and were not read: the platform failed, or the limit cut them. The rotation itself would bring them up
 * again only after another whole turn, and on a bad week of the platform they would be missed again and again.
 *
 * Kept in this process alone: what a restart or another replica does not know of comes up with its next turn.
 */
export class DeferredReads {
  readonly #byArtist = new Map<ArtistId, ReadsByRelease>();
  readonly #mostArtists: number;

  /** @param mostArtists beyond this the oldest reads are forgotten: nobody may watch those artists any more. */
  constructor(mostArtists = 100_000) {
    this.#mostArtists = mostArtists;
  }

  of(artistId: ArtistId): Turns {
    const open = [...this.#readsOf(artistId)].filter(([, { missed }]) => missed < MOST_MISSES);
    return new Map(open.map(([releaseId, { depth }]) => [releaseId, depth]));
  }

  has(artistId: ArtistId): boolean {
    return this.of(artistId).size > 0;
  }

  /** Releases that were asked for in vain too often: the rotation alone brings them up again. */
  givenUp(artistId: ArtistId): ReadonlySet<string> {
    const hopeless = [...this.#readsOf(artistId)].filter(([, { missed }]) => missed >= MOST_MISSES);
    return new Set(hopeless.map(([releaseId]) => releaseId));
  }

  settle(artistId: ArtistId, { turns, asked, read }: TurnsTaken): void {
    const before = this.#readsOf(artistId);
    const left = new Map([...before].filter(([, { missed }]) => missed >= MOST_MISSES));
    for (const [releaseId, depth] of turns) {
      const missed = (before.get(releaseId)?.missed ?? 0) + (asked.includes(releaseId) ? 1 : 0);
      left.set(releaseId, { depth, missed });
    }
    for (const releaseId of read) left.delete(releaseId);
    this.#byArtist.delete(artistId);
    if (left.size > 0) this.#byArtist.set(artistId, left);
    const [oldest] = this.#byArtist.keys();
    if (oldest !== undefined && this.#byArtist.size > this.#mostArtists) this.#byArtist.delete(oldest);
  }

  #readsOf(artistId: ArtistId): ReadsByRelease {
    return this.#byArtist.get(artistId) ?? NONE;
  }
}

import type { ArtistId } from '@artist-watch/domain/ids';

export type DueDepth = 'deep' | 'full';

export type DueReleases = ReadonlyMap<string, DueDepth>;

export interface ArtistReads {
  /** The releases to read in the next poll. */
  readonly due: DueReleases;
  /** Releases that become due again only through the rotation, because too many polls failed to read them. */
  readonly givenUp: ReadonlySet<string>;
  /** The number of polls that failed to read each due release. */
  readonly failures: ReadonlyMap<string, number>;
}

const NONE: ArtistReads = { due: new Map(), givenUp: new Set(), failures: new Map() };

/** After this many failures, a release is given up. */
const MAX_FAILURES = 10;

export interface DueReadOutcome {
  readonly due: DueReleases;
  readonly requested: readonly string[];
  readonly read: readonly string[];
}

/**
 * Remembers due releases that a poll did not read, which would otherwise have to wait for the rotation's next cycle.
 * The list is lost on restart.
 */
export class DeferredReads {
  readonly #byArtist = new Map<ArtistId, ArtistReads>();
  readonly #maxArtists: number;

  /** @param maxArtists above this number, the least recently polled artist is dropped. */
  constructor(maxArtists = 100_000) {
    this.#maxArtists = maxArtists;
  }

  of(artistId: ArtistId): ArtistReads {
    return this.#byArtist.get(artistId) ?? NONE;
  }

  settle(artistId: ArtistId, { due, requested, read }: DueReadOutcome): void {
    const before = this.of(artistId);
    const left = new Map<string, DueDepth>();
    const givenUp = new Set(before.givenUp);
    const failures = new Map<string, number>();
    for (const releaseId of read) givenUp.delete(releaseId);
    for (const [releaseId, depth] of due) {
      if (read.includes(releaseId) || givenUp.has(releaseId)) continue;
      const failed = (before.failures.get(releaseId) ?? 0) + (requested.includes(releaseId) ? 1 : 0);
      if (failed >= MAX_FAILURES) givenUp.add(releaseId);
      else {
        left.set(releaseId, depth);
        failures.set(releaseId, failed);
      }
    }
    this.#byArtist.delete(artistId);
    if (left.size + givenUp.size > 0) this.#byArtist.set(artistId, { due: left, givenUp, failures });
    const [oldest] = this.#byArtist.keys();
    if (oldest !== undefined && this.#byArtist.size > this.#maxArtists) this.#byArtist.delete(oldest);
  }
}

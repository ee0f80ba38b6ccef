import type { ArtistId } from '@artist-watch/domain/ids';

export type DueDepth = 'deep' | 'full';

export type DueReleases = ReadonlyMap<string, DueDepth>;

interface DeferredRead {
  readonly depth: DueDepth;
  /** The number of polls that failed to read the release. */
  readonly failures: number;
}

type ReadsByRelease = ReadonlyMap<string, DeferredRead>;

const NONE: ReadsByRelease = new Map();

/** After this many failures, a release becomes due again only through the rotation. */
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
  readonly #byArtist = new Map<ArtistId, ReadsByRelease>();
  readonly #maxArtists: number;

  /** @param maxArtists above this number, the least recently polled artist is dropped. */
  constructor(maxArtists = 100_000) {
    this.#maxArtists = maxArtists;
  }

  of(artistId: ArtistId): DueReleases {
    const open = [...this.#readsOf(artistId)].filter(([, { failures }]) => failures < MAX_FAILURES);
    return new Map(open.map(([releaseId, { depth }]) => [releaseId, depth]));
  }

  has(artistId: ArtistId): boolean {
    return this.of(artistId).size > 0;
  }

  givenUp(artistId: ArtistId): ReadonlySet<string> {
    const failed = [...this.#readsOf(artistId)].filter(([, { failures }]) => failures >= MAX_FAILURES);
    return new Set(failed.map(([releaseId]) => releaseId));
  }

  settle(artistId: ArtistId, { due, requested, read }: DueReadOutcome): void {
    const before = this.#readsOf(artistId);
    const left = new Map([...before].filter(([, { failures }]) => failures >= MAX_FAILURES));
    for (const [releaseId, depth] of due) {
      const failures = (before.get(releaseId)?.failures ?? 0) + (requested.includes(releaseId) ? 1 : 0);
      left.set(releaseId, { depth, failures });
    }
    for (const releaseId of read) left.delete(releaseId);
    this.#byArtist.delete(artistId);
    if (left.size > 0) this.#byArtist.set(artistId, left);
    const [oldest] = this.#byArtist.keys();
    if (oldest !== undefined && this.#byArtist.size > this.#maxArtists) this.#byArtist.delete(oldest);
  }

  #readsOf(artistId: ArtistId): ReadsByRelease {
    return this.#byArtist.get(artistId) ?? NONE;
  }
}

import type { ArtistId } from '@artist-watch/domain/ids';

/** The depth at which a due release must be read. */
export type DueDepth = 'deep' | 'full';

/** Due releases by platform id. */
export type DueReleases = ReadonlyMap<string, DueDepth>;

interface DeferredRead {
  readonly depth: DueDepth;
  /** The number of polls that requested the release without success. */
  readonly failures: number;
}

type ReadsByRelease = ReadonlyMap<string, DeferredRead>;

const NONE: ReadsByRelease = new Map();

/** After this many failed polls, a release is not tried again until the rotation makes it due. */
const MAX_FAILURES = 10;

/** The results of one poll for the due releases of an artist. */
export interface DueReadOutcome {
  /** All due releases, including deferred ones. */
  readonly due: DueReleases;
  readonly requested: readonly string[];
  /** Releases that were read at the required depth. */
  readonly read: readonly string[];
}

/**
 * Remembers due releases that were not read, because the platform failed or the limit was reached. Otherwise these
 * releases would wait for the next cycle of the rotation, and an unreliable platform could leave them unread for
 * several cycles.
 *
 * Deferred reads are kept only in memory. After a restart, or in another replica, these releases wait for their next
 * cycle.
 */
export class DeferredReads {
  readonly #byArtist = new Map<ArtistId, ReadsByRelease>();
  readonly #maxArtists: number;

  /**
   * @param maxArtists the number of remembered artists. Above it, the least recently polled one is dropped, because it
   *   may no longer have watchers.
   */
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

  /** Returns the releases that failed MAX_FAILURES times. Only the rotation makes them due again. */
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

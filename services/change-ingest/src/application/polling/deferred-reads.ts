import type { ArtistId } from '@artist-watch/domain/ids';

/** The depth at which a due release must be read. */
export type DueDepth = 'deep' | 'full';

/** Due releases, by platform id. */
export type DueReleases = ReadonlyMap<string, DueDepth>;

interface DeferredRead {
  readonly depth: DueDepth;
  /** Polls that requested the release without success. */
  readonly failures: number;
}

type ReadsByRelease = ReadonlyMap<string, DeferredRead>;

const NONE: ReadsByRelease = new Map();

/** A release is given up after this many failed polls, until the rotation makes it due again. */
const MAX_FAILURES = 10;

/** The outcome of one poll for an artist's due releases. */
export interface DueReadOutcome {
  /** All due releases, including deferred ones. */
  readonly due: DueReleases;
  readonly requested: readonly string[];
  /** Releases that were read at the required depth. */
  readonly read: readonly string[];
}

/**
 * Due releases that were not read, because the platform failed or the limit was reached. The rotation alone would
 * repeat them only a full cycle later, so an unreliable platform could leave them unread for several cycles.
 *
 * Kept in memory only. After a restart, or in another replica, these releases wait for their next cycle.
 */
export class DeferredReads {
  readonly #byArtist = new Map<ArtistId, ReadsByRelease>();
  readonly #maxArtists: number;

  /** @param maxArtists above it, the least recently polled artists are dropped. They may no longer have watchers. */
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

  /** Releases given up after MAX_FAILURES. Only the rotation makes them due again. */
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

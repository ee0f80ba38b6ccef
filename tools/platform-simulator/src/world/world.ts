import { ALL_MARKETS } from './codes.js';
import type { EntityKind, SimulatedArtist, SimulatedRelease, SimulatedTrack } from './entities.js';
import type { IdForm } from './id-form.js';

export class UnknownEntityError extends Error {
  override readonly name = 'UnknownEntityError';

  constructor(
    readonly kind: EntityKind,
    readonly id: string,
  ) {
    super(`There is no ${kind} ${id}.`);
  }
}

/** Keeps removed entities so that they can be restored with the same ids. Most read methods skip them. */
export class World {
  readonly #artists = new Map<string, SimulatedArtist>();
  readonly #releases = new Map<string, SimulatedRelease>();
  readonly #tracks = new Map<string, SimulatedTrack>();
  readonly #releasesOfArtist = new Map<string, SimulatedRelease[]>();
  readonly #tracksOfRelease = new Map<string, SimulatedTrack[]>();
  readonly #tracksByIsrc = new Map<string, Set<SimulatedTrack>>();

  constructor(readonly idOf: IdForm) {}

  artist(id: string): SimulatedArtist | undefined {
    return unlessRemoved(this.#artists.get(id));
  }

  release(id: string): SimulatedRelease | undefined {
    return unlessRemoved(this.#releases.get(id));
  }

  /** Returns undefined if the track or its release has been removed. */
  track(id: string): SimulatedTrack | undefined {
    const track = unlessRemoved(this.#tracks.get(id));
    return track && this.release(track.releaseId) ? track : undefined;
  }

  removedRelease(id: string): SimulatedRelease | undefined {
    return this.release(id) ? undefined : this.#releases.get(id);
  }

  removedTrack(id: string): SimulatedTrack | undefined {
    return this.track(id) ? undefined : this.#tracks.get(id);
  }

  artists(): SimulatedArtist[] {
    return [...this.#artists.values()].filter((artist) => !artist.removed);
  }

  releasesOf(artistId: string): SimulatedRelease[] {
    return (this.#releasesOfArtist.get(artistId) ?? []).filter((release) => !release.removed).sort(newestFirst);
  }

  /** Returns other artists' releases on which this artist is a guest, newest first. */
  releasesWithGuest(artistId: string): SimulatedRelease[] {
    const ids = new Set<string>();
    for (const track of this.#tracks.values()) {
      if (track.artistIds.includes(artistId) && this.track(track.id)) ids.add(track.releaseId);
    }
    return [...ids]
      .map((id) => this.known('release', id))
      .filter((release) => release.artistId !== artistId)
      .sort(newestFirst);
  }

  /** In playing order. */
  tracksOf(releaseId: string): SimulatedTrack[] {
    return this.everyTrackOf(releaseId).filter((track) => !track.removed);
  }

  everyTrackOf(releaseId: string): SimulatedTrack[] {
    return (this.#tracksOfRelease.get(releaseId) ?? []).toSorted((a, b) => a.disc - b.disc || a.position - b.position);
  }

  tracksByIsrc(isrc: string): SimulatedTrack[] {
    return [...(this.#tracksByIsrc.get(isrc) ?? [])].filter((track) => this.track(track.id) !== undefined);
  }

  releaseByUpc(upc: string): SimulatedRelease | undefined {
    for (const release of this.#releases.values()) {
      if (release.upc === upc && !release.removed) return release;
    }
    return undefined;
  }

  addArtist(artist: SimulatedArtist): SimulatedArtist {
    this.#artists.set(artist.id, artist);
    this.#releasesOfArtist.set(artist.id, []);
    return artist;
  }

  addRelease(release: SimulatedRelease): SimulatedRelease {
    this.#releases.set(release.id, release);
    this.#releasesOfArtist.get(this.known('artist', release.artistId).id)?.push(release);
    this.#tracksOfRelease.set(release.id, []);
    return release;
  }

  addTrack(track: SimulatedTrack): SimulatedTrack {
    this.#tracks.set(track.id, track);
    this.#tracksOfRelease.get(this.known('release', track.releaseId).id)?.push(track);
    this.#indexIsrc(track);
    return track;
  }

  /** @throws UnknownEntityError */
  changeArtist(id: string, change: Partial<Omit<SimulatedArtist, 'id'>>): SimulatedArtist {
    return Object.assign(this.known('artist', id), change);
  }

  changeRelease(id: string, change: Partial<Omit<SimulatedRelease, 'id' | 'artistId'>>): SimulatedRelease {
    return Object.assign(this.known('release', id), change);
  }

  /** The new artist becomes the only one credited on the release and its tracks. */
  moveRelease(id: string, artistId: string): SimulatedRelease {
    const release = this.known('release', id);
    const others = (this.#releasesOfArtist.get(release.artistId) ?? []).filter((one) => one !== release);
    this.#releasesOfArtist.set(release.artistId, others);
    this.#releasesOfArtist.get(this.known('artist', artistId).id)?.push(release);
    for (const track of this.tracksOf(id)) this.changeTrack(track.id, { artistIds: [artistId] });
    return Object.assign(release, { artistId, artistIds: [artistId] });
  }

  changeTrack(id: string, change: Partial<Omit<SimulatedTrack, 'id' | 'releaseId'>>): SimulatedTrack {
    const track = this.known('track', id);
    this.#tracksByIsrc.get(track.isrc)?.delete(track);
    Object.assign(track, change);
    this.#indexIsrc(track);
    return track;
  }

  sell(releaseId: string, markets: readonly string[]): SimulatedRelease {
    for (const track of this.tracksOf(releaseId)) this.changeTrack(track.id, { markets });
    return this.changeRelease(releaseId, { markets });
  }

  trade(artistId: string, countries: readonly string[], isOpen: boolean): SimulatedArtist {
    for (const { id, markets } of this.releasesOf(artistId)) {
      const others = markets.filter((market) => !countries.includes(market));
      this.sell(id, isOpen ? [...others, ...countries].sort() : others);
    }
    return this.known('artist', artistId);
  }

  removeLabel(label: string, removed: boolean): void {
    for (const release of this.#releases.values()) {
      if (release.label === label) release.removed = removed;
    }
  }

  /**
   * Includes removed entities.
   * @throws UnknownEntityError
   */
  known(kind: 'artist', id: string): SimulatedArtist;
  known(kind: 'release', id: string): SimulatedRelease;
  known(kind: 'track', id: string): SimulatedTrack;
  known(kind: EntityKind, id: string): SimulatedArtist | SimulatedRelease | SimulatedTrack;
  known(kind: EntityKind, id: string): SimulatedArtist | SimulatedRelease | SimulatedTrack {
    const entity = { artist: this.#artists, release: this.#releases, track: this.#tracks }[kind].get(id);
    if (!entity) throw new UnknownEntityError(kind, id);
    return entity;
  }

  /** Includes removed entities. */
  tree(artistId?: string) {
    const artists = artistId === undefined ? [...this.#artists.values()] : [this.known('artist', artistId)];
    return artists.map((artist) => ({
      ...artist,
      releases: (this.#releasesOfArtist.get(artist.id) ?? []).map((release) => ({
        ...release,
        markets: shortenMarkets(release.markets),
        tracks: (this.#tracksOfRelease.get(release.id) ?? []).map((track) => ({
          ...track,
          markets: shortenMarkets(track.markets),
        })),
      })),
    }));
  }

  #indexIsrc(track: SimulatedTrack): void {
    const sharing = this.#tracksByIsrc.get(track.isrc);
    if (sharing) sharing.add(track);
    else this.#tracksByIsrc.set(track.isrc, new Set([track]));
  }
}

function unlessRemoved<Entity extends { readonly removed: boolean }>(entity: Entity | undefined): Entity | undefined {
  return entity?.removed ? undefined : entity;
}

/** Otherwise, the list of all markets would make up most of the control server's response. */
function shortenMarkets(markets: readonly string[]): readonly string[] | 'all' {
  return markets === ALL_MARKETS ? 'all' : markets;
}

function newestFirst(a: SimulatedRelease, b: SimulatedRelease): number {
  return compare(b.releaseDate, a.releaseDate) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

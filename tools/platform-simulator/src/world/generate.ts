import { SeededRandom } from '../seeded-random.js';
import { ALL_MARKETS, MARKETS_OUTSIDE_NORTH_AMERICA, makeIsrc, makeUpc } from './codes.js';
import type { ReleaseType, SimulatedArtist, SimulatedRelease } from './entities.js';
import { type IdForm, pictureId } from './id-form.js';
import { artistName, GENRES, labelName, title, version } from './names.js';
import { World } from './world.js';

export interface GenerateOptions {
  readonly seed: string;
  readonly artists: number;
  readonly idOf: IdForm;
}

const RELEASES_PER_ARTIST = 1_000;
const TRACKS_PER_RELEASE = 100;

/** The second artist has more than one page of releases, and the third has a single release. */
const PROLIFIC = { index: 1, releases: 130 };
const NEWCOMER = { index: 2, releases: 1 };

/** Each artist has its own seed, so artist 7 is the same however large the catalogue is. */
export function generateWorld({ seed, artists, idOf }: GenerateOptions): World {
  const world = new World(idOf);
  const names = new Set<string>();
  for (let index = 0; index < artists; index++) world.addArtist(generateArtist(seed, index, idOf, names));
  for (let index = 0; index < artists; index++) generateReleases(world, seed, index);
  return world;
}

function generateArtist(seed: string, index: number, idOf: IdForm, taken: Set<string>): SimulatedArtist {
  const random = new SeededRandom(seed, 'artist', index);
  let name = artistName(random);
  for (let i = 2; taken.has(name); i++) name = `${artistName(random)}${i > 4 ? ` ${i}` : ''}`;
  taken.add(name);
  const id = idOf('artist', index);
  return {
    id,
    name,
    imageId: pictureId(id, 1),
    followers: Math.floor(10 ** (2.5 + random.next() * 4)),
    genre: random.pick(GENRES),
    mergedInto: undefined,
    removed: false,
  };
}

function generateReleases(world: World, seed: string, index: number): void {
  const random = new SeededRandom(seed, 'releases', index);
  const artistId = world.idOf('artist', index);
  const label = labelName(random);
  const recordings = new Recordings(index, random);

  const releases = releaseCount(index, random);
  for (let nth = 0; nth < releases; nth++) {
    const number = index * RELEASES_PER_ARTIST + nth;
    const release = world.addRelease(generateRelease(random, world.idOf, artistId, number, label));
    const count = trackCount(release.type, random);
    const perDisc = count > 24 ? Math.ceil(count / 2) : count;
    for (let place = 0; place < count; place++) {
      const isrc = recordings.next(release);
      const guest = random.chance(0.15) ? world.idOf('artist', random.integer(0, index)) : artistId;
      world.addTrack({
        id: world.idOf('track', number * TRACKS_PER_RELEASE + place),
        releaseId: release.id,
        title: release.type === 'single' && place === 0 ? release.title : title(random),
        version: version(random),
        isrc,
        durationMs: random.integer(95, 420) * 1_000,
        disc: Math.floor(place / perDisc) + 1,
        position: (place % perDisc) + 1,
        explicit: release.explicit && random.chance(0.4),
        artistIds: guest === artistId ? [artistId] : [artistId, guest],
        markets: release.markets,
        removed: false,
      });
    }
  }
}

/** A recording from an album can appear again, with the same ISRC, on a single or a compilation. */
class Recordings {
  readonly #owner: number;
  readonly #random: SeededRandom;
  readonly #reissuable: string[] = [];
  #count = 0;

  constructor(owner: number, random: SeededRandom) {
    this.#owner = owner;
    this.#random = random;
  }

  next({ type, releaseDate }: SimulatedRelease): string {
    if (type !== 'album' && this.#reissuable.length > 0 && this.#random.chance(0.5)) {
      const at = this.#random.integer(0, this.#reissuable.length - 1);
      const [isrc] = this.#random.chance(0.7) ? this.#reissuable.splice(at, 1) : [this.#reissuable[at]];
      if (isrc !== undefined) return isrc;
    }
    const isrc = makeIsrc(this.#owner, this.#count++, Number(releaseDate.slice(0, 4)));
    this.#reissuable.push(isrc);
    return isrc;
  }
}

function generateRelease(
  random: SeededRandom,
  idOf: IdForm,
  artistId: string,
  number: number,
  label: string,
): SimulatedRelease {
  const id = idOf('release', number);
  const year = random.integer(1997, 2025);
  const month = String(random.integer(1, 12)).padStart(2, '0');
  const day = String(random.integer(1, 28)).padStart(2, '0');
  return {
    id,
    artistId,
    title: `${title(random)}${random.chance(0.08) ? ' (Deluxe Edition)' : ''}`,
    type: releaseType(random),
    releaseDate: `${year}-${month}-${day}`,
    artworkId: pictureId(id, 1),
    label,
    upc: makeUpc(number),
    explicit: random.chance(0.2),
    artistIds: [artistId],
    markets: random.chance(0.15) ? MARKETS_OUTSIDE_NORTH_AMERICA : ALL_MARKETS,
    relinkedTo: undefined,
    removed: false,
  };
}

function releaseCount(index: number, random: SeededRandom): number {
  switch (index) {
    case PROLIFIC.index:
      return PROLIFIC.releases;
    case NEWCOMER.index:
      return NEWCOMER.releases;
    default:
      return random.integer(4, 22);
  }
}

function releaseType(random: SeededRandom): ReleaseType {
  const form = random.next();
  if (form < 0.4) return 'single';
  if (form < 0.8) return 'album';
  return form < 0.95 ? 'ep' : 'compilation';
}

function trackCount(type: ReleaseType, random: SeededRandom): number {
  switch (type) {
    case 'single':
      return random.integer(1, 3);
    case 'ep':
      return random.integer(4, 7);
    case 'album':
      return random.integer(8, 16);
    case 'compilation':
      return random.integer(28, 48);
  }
}

import { z } from 'zod';
import { SeededRandom } from '../seeded-random.js';
import { ALL_MARKETS, makeIsrc, makeUpc } from './codes.js';
import { RELEASE_TYPES, type SimulatedArtist, type SimulatedRelease, type SimulatedTrack } from './entities.js';
import { countries, date, followers, isrc, text } from './fields.js';
import { pictureId } from './id-form.js';
import { artistName, GENRES, labelName, title } from './names.js';
import type { World } from './world.js';

export const newArtistSchema = z.strictObject({
  name: text.optional(),
  followers: followers.optional(),
  releases: z.number().int().min(0).max(500).optional(),
});

export const newReleaseSchema = z.strictObject({
  artistId: z.string(),
  title: text.optional(),
  type: z.enum(RELEASE_TYPES).optional(),
  releaseDate: date.optional(),
  label: text.optional(),
  upc: text.optional(),
  explicit: z.boolean().optional(),
  markets: countries.readonly().optional(),
  /** The number of tracks, or the ISRCs of a re-upload's tracks. */
  tracks: z.union([z.number().int().min(0).max(100), z.array(isrc).readonly()]).optional(),
});

export const newTrackSchema = z.strictObject({
  releaseId: z.string(),
  title: text.optional(),
  isrc: isrc.optional(),
  explicit: z.boolean().optional(),
});

/** Added entities have negative numbers, so they never collide with generated ones. */
const FIRST_ADDED = -1_000_000;
const UPC_FROM = 900_000_000;
const ADDED_REGISTRANT = 46_655;

/** Fields that are omitted are derived from the seed and the entity's number. */
export class Additions {
  #artists = 0;
  #releases = 0;
  #tracks = 0;

  constructor(
    readonly world: World,
    readonly seed: string,
  ) {}

  addArtist(fields: z.output<typeof newArtistSchema>): SimulatedArtist {
    const number = this.#artists++;
    const random = new SeededRandom(this.seed, 'added artist', number);
    const id = this.world.idOf('artist', FIRST_ADDED + number);
    const artist = this.world.addArtist({
      id,
      name: fields.name ?? artistName(random),
      imageId: pictureId(id, 1),
      followers: fields.followers ?? random.integer(100, 100_000),
      genre: random.pick(GENRES),
      mergedInto: undefined,
      removed: false,
    });
    for (let i = 0; i < (fields.releases ?? 0); i++) this.addRelease({ artistId: id });
    return artist;
  }

  /** @throws UnknownEntityError if the artist doesn't exist. */
  addRelease(fields: z.output<typeof newReleaseSchema>): SimulatedRelease {
    const artist = this.world.known('artist', fields.artistId);
    const number = this.#releases++;
    const random = new SeededRandom(this.seed, 'added release', number);
    const id = this.world.idOf('release', FIRST_ADDED + number);
    const release = this.world.addRelease({
      id,
      artistId: artist.id,
      title: fields.title ?? title(random),
      type: fields.type ?? 'album',
      releaseDate: fields.releaseDate ?? `2025-0${random.integer(1, 9)}-1${random.integer(0, 9)}`,
      artworkId: pictureId(id, 1),
      label: fields.label ?? this.world.releasesOf(artist.id)[0]?.label ?? labelName(random),
      upc: fields.upc ?? makeUpc(UPC_FROM + number),
      explicit: fields.explicit ?? false,
      artistIds: [artist.id],
      markets: fields.markets ?? ALL_MARKETS,
      relinkedTo: undefined,
      removed: false,
    });
    const tracks = fields.tracks ?? random.integer(8, 12);
    if (typeof tracks === 'number') {
      for (let i = 0; i < tracks; i++) this.addTrack({ releaseId: id });
    } else {
      for (const code of tracks) this.addTrack({ releaseId: id, isrc: code });
    }
    return release;
  }

  /** @throws UnknownEntityError if the release doesn't exist. */
  addTrack(fields: z.output<typeof newTrackSchema>): SimulatedTrack {
    const release = this.world.known('release', fields.releaseId);
    const number = this.#tracks++;
    const random = new SeededRandom(this.seed, 'added track', number);
    const last = this.world.tracksOf(release.id).at(-1);
    return this.world.addTrack({
      id: this.world.idOf('track', FIRST_ADDED + number),
      releaseId: release.id,
      title: fields.title ?? title(random),
      version: '',
      isrc: fields.isrc ?? makeIsrc(ADDED_REGISTRANT, number, 2026),
      durationMs: random.integer(120, 300) * 1_000,
      disc: last?.disc ?? 1,
      position: (last?.position ?? 0) + 1,
      explicit: fields.explicit ?? release.explicit,
      artistIds: release.artistIds,
      markets: release.markets,
      removed: false,
    });
  }
}

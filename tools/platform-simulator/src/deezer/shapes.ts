import type { Json, JsonObject } from '../quirks/distort.js';
import type { ReleaseType, SimulatedArtist, SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import type { World } from '../world/world.js';

/** The objects have the same fields as Deezer's real responses (developers.deezer.com/api). */

const API = 'https://api.deezer.com';
const SITE = 'https://www.deezer.com';
const IMAGES = 'https://cdn-images.dzcdn.net/images';

const GENRE_IDS: Readonly<Record<string, number>> = {
  Pop: 132,
  'Rap/Hip Hop': 116,
  Rock: 152,
  Dance: 113,
  'R&B': 165,
  Alternative: 85,
  Electro: 106,
  Folk: 466,
  Reggae: 144,
  Jazz: 129,
  Classical: 98,
  'Latin Music': 197,
};

const RECORD_TYPES: Readonly<Record<ReleaseType, string>> = {
  album: 'album',
  single: 'single',
  ep: 'ep',
  compilation: 'compile',
};

export function artistObject(world: World, artist: SimulatedArtist): JsonObject {
  return {
    ...artistInCredits(artist),
    nb_album: world.releasesOf(artist.id).length,
    nb_fan: artist.followers,
    radio: true,
    tracklist: `${API}/artist/${artist.id}/top?limit=50`,
    type: 'artist',
  };
}

/** `/search/artist` doesn't return `share`. */
export function artistInSearch(world: World, artist: SimulatedArtist): JsonObject {
  const { share: _, ...rest } = artistObject(world, artist);
  return rest;
}

/** `/artist/{id}/albums` doesn't return the UPC, label or tracks. */
export function albumInList(world: World, album: SimulatedRelease): JsonObject {
  return {
    id: Number(album.id),
    title: album.title,
    link: `${SITE}/album/${album.id}`,
    ...cover(album),
    genre_id: genreId(world, album),
    fans: countFans(album),
    release_date: album.releaseDate,
    record_type: RECORD_TYPES[album.type],
    tracklist: `${API}/album/${album.id}/tracks`,
    explicit_lyrics: album.explicit,
    type: 'album',
  };
}

/** `/album/{id}` returns the first 25 tracks, without their ISRCs and positions. */
export function albumObject(world: World, album: SimulatedRelease, tracks: readonly SimulatedTrack[]): JsonObject {
  const genre = world.known('artist', album.artistId).genre;
  return {
    id: Number(album.id),
    title: album.title,
    upc: album.upc,
    link: `${SITE}/album/${album.id}`,
    share: share('album', album.id),
    ...cover(album),
    genre_id: genreId(world, album),
    genres: {
      data: [
        {
          id: genreId(world, album),
          name: genre,
          picture: `${API}/genre/${genreId(world, album)}/image`,
          type: 'genre',
        },
      ],
    },
    label: album.label,
    nb_tracks: tracks.length,
    duration: tracks.reduce((sum, track) => sum + seconds(track), 0),
    fans: countFans(album),
    release_date: album.releaseDate,
    record_type: RECORD_TYPES[album.type],
    available: true,
    tracklist: `${API}/album/${album.id}/tracks`,
    explicit_lyrics: album.explicit,
    explicit_content_lyrics: album.explicit ? 4 : 0,
    explicit_content_cover: 0,
    contributors: contributors(world, album.artistIds),
    artist: artistBrief(world.known('artist', album.artistId)),
    type: 'album',
    tracks: { data: tracks.slice(0, 25).map((track) => trackInAlbum(world, track)) },
  };
}

/** `/album/{id}/tracks` returns each track's ISRC, position, and main artist only. */
export function trackInList(world: World, track: SimulatedTrack): JsonObject {
  const { type, ...rest } = trackInAlbum(world, track) as { readonly [key: string]: Json };
  return { ...rest, isrc: track.isrc, track_position: track.position, disk_number: track.disc, type: type ?? 'track' };
}

/** `/track/{id}` returns all contributors, the countries, and the album without its UPC and label. */
export function trackObject(world: World, track: SimulatedTrack): JsonObject {
  const album = world.known('release', track.releaseId);
  return {
    ...trackInList(world, track),
    share: share('track', track.id),
    release_date: album.releaseDate,
    bpm: 0,
    gain: -9.4,
    available_countries: track.removed ? [] : [...track.markets],
    contributors: contributors(world, track.artistIds),
    artist: { ...artistInCredits(mainArtist(world, track)), radio: true, type: 'artist' },
    album: {
      id: Number(album.id),
      title: album.title,
      link: `${SITE}/album/${album.id}`,
      ...cover(album),
      release_date: album.releaseDate,
      tracklist: `${API}/album/${album.id}/tracks`,
      type: 'album',
    },
    type: 'track',
  };
}

export function infosObject(country: string): JsonObject {
  return {
    country_iso: country,
    country: new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country,
    open: true,
    pop: 'fr',
    upload_token: '',
    upload_token_lifetime: 14_400,
    user_token: null,
    has_podcasts: true,
    offers: [],
  };
}

function trackInAlbum(world: World, track: SimulatedTrack): JsonObject {
  const album = world.known('release', track.releaseId);
  return {
    id: Number(track.id),
    readable: !track.removed,
    title: track.version === '' ? track.title : `${track.title} ${track.version}`,
    title_short: track.title,
    title_version: track.version,
    link: `${SITE}/track/${track.id}`,
    duration: seconds(track),
    rank: Number(BigInt(track.id) % 900_000n) + 50_000,
    explicit_lyrics: track.explicit,
    explicit_content_lyrics: track.explicit ? 1 : 0,
    explicit_content_cover: 0,
    preview: '',
    md5_image: album.artworkId,
    artist: artistBrief(mainArtist(world, track)),
    type: 'track',
  };
}

function artistBrief(artist: SimulatedArtist): JsonObject {
  return {
    id: Number(artist.id),
    name: artist.name,
    tracklist: `${API}/artist/${artist.id}/top?limit=50`,
    type: 'artist',
  };
}

function artistInCredits(artist: SimulatedArtist): JsonObject {
  return {
    id: Number(artist.id),
    name: artist.name,
    link: `${SITE}/artist/${artist.id}`,
    share: share('artist', artist.id),
    picture: `${API}/artist/${artist.id}/image`,
    ...sizes('picture', 'artist', artist.imageId),
  };
}

function contributors(world: World, artistIds: readonly string[]): Json[] {
  return artistIds.map((id, index) => ({
    ...artistInCredits(world.known('artist', id)),
    radio: true,
    tracklist: `${API}/artist/${id}/top?limit=50`,
    type: 'artist',
    role: index === 0 ? 'Main' : 'Featured',
  }));
}

function mainArtist(world: World, track: SimulatedTrack): SimulatedArtist {
  return world.known('artist', track.artistIds[0] ?? world.known('release', track.releaseId).artistId);
}

function cover(album: SimulatedRelease): JsonObject {
  return {
    cover: `${API}/album/${album.id}/image`,
    ...sizes('cover', 'cover', album.artworkId),
    md5_image: album.artworkId,
  };
}

function sizes(field: string, folder: string, pictureId: string): JsonObject {
  const at = (pixels: number) => `${IMAGES}/${folder}/${pictureId}/${pixels}x${pixels}-000000-80-0-0.jpg`;
  return {
    [`${field}_small`]: at(56),
    [`${field}_medium`]: at(250),
    [`${field}_big`]: at(500),
    [`${field}_xl`]: at(1000),
  };
}

function share(kind: string, id: string): string {
  return `${SITE}/${kind}/${id}?utm_source=deezer&utm_content=${kind}-${id}&utm_term=0_0&utm_medium=web`;
}

function seconds(track: SimulatedTrack): number {
  return Math.round(track.durationMs / 1_000);
}

function genreId(world: World, album: SimulatedRelease): number {
  return GENRE_IDS[world.known('artist', album.artistId).genre] ?? -1;
}

function countFans(album: SimulatedRelease): number {
  return Number.parseInt(album.artworkId.slice(0, 4), 16);
}

import type { CatalogueState, Credit, ReleaseState, TrackState } from '@artist-watch/domain/catalogue';
import { placesOverDiscs } from '../known.js';
import type { Track, TrackRelease } from '../port.js';
import type { DeezerAlbum, DeezerArtist, DeezerListedAlbum, DeezerListedTrack, DeezerTrack } from './responses.js';

export interface DeezerRelease {
  readonly album: DeezerAlbum;
  /** The tracks are unknown if the list is empty or the release is not out yet. */
  readonly tracks: readonly DeezerListedTrack[] | undefined;
  readonly unknown: number;
  /** A value is undefined if Deezer returned a different track. */
  readonly trackDetails: ReadonlyMap<string, DeezerTrack | undefined>;
  readonly full: boolean;
}

export function artistState(artist: DeezerArtist): CatalogueState['artist'] {
  return {
    platformId: artist.id,
    name: artist.name,
    imageId: artist.picture_xl ?? artist.picture_medium,
    followers: artist.nb_fan,
    monthlyListeners: undefined,
  };
}

export function releaseState(listed: DeezerListedAlbum, details: DeezerRelease | undefined): ReleaseState {
  return {
    platformId: listed.id,
    title: listed.title ?? details?.album.title,
    type: releaseType(listed.record_type ?? details?.album.record_type),
    releaseDate: listed.release_date ?? details?.album.release_date,
    artworkId: listed.md5_image ?? details?.album.md5_image,
    explicit: listed.explicit_lyrics ?? details?.album.explicit_lyrics,
    label: details?.album.label,
    upc: details?.album.upc,
    credits: details?.album.contributors?.map(toCredit),
    markets: details?.full ? marketsOf(details.tracks?.map(({ id }) => details.trackDetails.get(id))) : undefined,
    tracks: details?.tracks && trackStates(details.tracks, details.trackDetails),
    ...(details && details.unknown > 0 && { unknownTracks: details.unknown }),
  };
}

function trackStates(tracks: readonly DeezerListedTrack[], trackDetails: DeezerRelease['trackDetails']): TrackState[] {
  const places = placesOverDiscs(tracks.map((track) => ({ disc: track.disk_number, place: track.track_position })));
  return tracks.map((track, index) => ({
    platformId: track.id,
    title: track.title,
    isrc: track.isrc,
    position: places[index],
    explicit: track.explicit_lyrics,
    // Track lists name only the main artist, so featured artists would look removed.
    credits: trackDetails.get(track.id)?.contributors?.map(toCredit),
  }));
}

/** Returns undefined if the markets of any track are unknown. */
function marketsOf(tracks: readonly (DeezerTrack | undefined)[] | undefined): string[] | undefined {
  const markets = new Set<string>();
  for (const track of tracks ?? []) {
    if (track?.available_countries === undefined) return undefined;
    for (const country of track.available_countries) markets.add(country);
  }
  return markets.size === 0 ? undefined : [...markets].sort();
}

export function toTrack(track: DeezerTrack, album: DeezerAlbum | undefined): Track {
  const artists = track.contributors ?? (track.artist ? [track.artist] : []);
  return {
    platformId: track.id,
    name: track.title ?? '',
    url: `https://www.deezer.com/track/${track.id}`,
    isrc: track.isrc,
    durationMs: track.duration === undefined ? undefined : track.duration * 1_000,
    explicit: track.explicit_lyrics,
    artists: artists.map((artist) => ({ platformId: artist.id, name: artist.name })),
    release: toTrackRelease(track.album, album),
  };
}

function toTrackRelease(brief: DeezerTrack['album'], album: DeezerAlbum | undefined): TrackRelease | undefined {
  if (!brief) return undefined;
  return {
    platformId: brief.id,
    name: brief.title ?? album?.title,
    type: releaseType(album?.record_type),
    releaseDate: album?.release_date ?? brief.release_date,
    upc: album?.upc,
    label: album?.label,
  };
}

function toCredit({ id, name }: { readonly id: string; readonly name: string }): Credit {
  return { platformId: id, name };
}

function releaseType(recordType: string | undefined): string | undefined {
  const type = recordType?.toLowerCase();
  return type === 'compile' ? 'compilation' : type;
}

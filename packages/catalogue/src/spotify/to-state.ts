import type { CatalogueState, ReleaseState, TrackState } from '@artist-watch/domain/catalogue';
import { placesOverDiscs } from '../known.js';
import type { Track } from '../port.js';
import type { ThingsById } from './batch-reads.js';
import type { SpotifyAlbum, SpotifyArtist, SpotifyListedAlbum, SpotifyListedTrack, SpotifyTrack } from './responses.js';

export interface SpotifyRelease {
  readonly album: SpotifyAlbum;
  /** The tracks are unknown if the list belongs to a different release, or if the release is not out yet. */
  readonly tracks: readonly SpotifyListedTrack[] | undefined;
  readonly unknown: number;
  /** Only the response for a track contains its ISRC. */
  readonly trackDetails: ThingsById<SpotifyTrack>;
}

export function artistState(artist: SpotifyArtist): CatalogueState['artist'] {
  return {
    platformId: artist.id,
    name: artist.name,
    imageId: artist.images,
    followers: artist.followers?.total,
    monthlyListeners: undefined,
  };
}

export function releaseState(listed: SpotifyListedAlbum, details: SpotifyRelease | undefined): ReleaseState {
  const album = details?.album;
  const credits = listed.artists ?? album?.artists;
  return {
    platformId: listed.id,
    title: listed.name ?? album?.name,
    type: (listed.album_type ?? album?.album_type)?.toLowerCase(),
    releaseDate: listed.release_date ?? album?.release_date,
    artworkId: listed.images ?? album?.images,
    label: album?.label,
    upc: album?.external_ids?.upc,
    explicit: undefined,
    credits: credits?.map(({ id, name }) => ({ platformId: id, name })),
    markets: marketsOf([listed, album]),
    tracks: details?.tracks && trackStates(details.tracks, details.trackDetails),
    ...(details && details.unknown > 0 && { unknownTracks: details.unknown }),
  };
}

/**
 * The list and the detailed read come from different caches, so a market missing from one may still be available
 * (spotify/web-api, issue 943).
 */
function marketsOf(readings: readonly (SpotifyListedAlbum | undefined)[]): string[] | undefined {
  const markets = new Set(readings.flatMap((reading) => reading?.available_markets ?? []));
  return markets.size === 0 ? undefined : [...markets].sort();
}

function trackStates(tracks: readonly SpotifyListedTrack[], trackDetails: ThingsById<SpotifyTrack>): TrackState[] {
  const places = placesOverDiscs(tracks.map((track) => ({ disc: track.disc_number, place: track.track_number })));
  return tracks.map((track, index) => ({
    platformId: track.id,
    title: track.name,
    isrc: trackDetails.get(track.id)?.external_ids?.isrc,
    position: places[index],
    explicit: track.explicit,
    credits: track.artists?.map(({ id, name }) => ({ platformId: id, name })),
  }));
}

export function toTrack(track: SpotifyTrack, album: SpotifyAlbum | undefined): Track {
  return {
    platformId: track.id,
    name: track.name ?? '',
    url: `https://open.spotify.com/track/${track.id}`,
    isrc: track.external_ids?.isrc,
    durationMs: track.duration_ms,
    explicit: track.explicit,
    artists: (track.artists ?? []).map(({ id, name }) => ({ platformId: id, name })),
    release: track.album && {
      platformId: track.album.id,
      name: track.album.name ?? album?.name,
      type: (track.album.album_type ?? album?.album_type)?.toLowerCase(),
      releaseDate: track.album.release_date ?? album?.release_date,
      upc: album?.external_ids?.upc,
      label: album?.label,
    },
  };
}

import type { CatalogueState, Credit, ReleaseState, TrackState } from '@artist-watch/domain/catalogue';
import type { Track, TrackRelease } from '../port.js';
import type { DeezerAlbum, DeezerArtist, DeezerListedAlbum, DeezerListedTrack, DeezerTrack } from './answers.js';

/** What is known of a release beside its line in the artist's list. */
export interface ReleaseDetails {
  readonly album: DeezerAlbum;
  readonly tracks: readonly DeezerListedTrack[];
  /** Each track read by itself, by id; undefined for one that was answered with another. */
  readonly singly: ReadonlyMap<string, DeezerTrack | undefined> | undefined;
}

export function artistState(artist: DeezerArtist): CatalogueState['artist'] {
  return {
    platformId: artist.id,
    name: artist.name,
    imageId: artist.picture_xl ?? artist.picture_medium,
    followers: artist.nb_fan,
    // Deezer does not publish them.
    monthlyListeners: undefined,
  };
}

export function releaseState(listed: DeezerListedAlbum, details: ReleaseDetails | undefined): ReleaseState {
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
    markets: details?.singly && marketsOf([...details.singly.values()]),
    tracks: details && trackStates(details),
  };
}

function trackStates({ tracks, singly }: ReleaseDetails): TrackState[] {
  const places = placesOver(tracks);
  return tracks.map((track, index) => ({
    platformId: track.id,
    title: track.title,
    isrc: track.isrc,
    position: places[index],
    explicit: track.explicit_lyrics,
    // The list names the main artist alone: taken for all credits, it would make a change of every featured artist.
    credits: singly?.get(track.id)?.contributors?.map(toCredit),
  }));
}

/**
 * The place of each track over all discs. It is counted from the greatest place on the discs before, not from the
 * number of tracks there, so that a track that is taken down does not move the ones after it.
 */
function placesOver(tracks: readonly DeezerListedTrack[]): (number | undefined)[] {
  const greatest = new Map<number, number>();
  for (const { disk_number: disc, track_position: place } of tracks) {
    if (disc === undefined || place === undefined) return tracks.map(() => undefined);
    greatest.set(disc, Math.max(greatest.get(disc) ?? 0, place));
  }
  const discs = [...greatest].sort(([a], [b]) => a - b);
  return tracks.map(({ disk_number: disc = 1, track_position: place = 1 }) =>
    discs.reduce((sum, [other, places]) => (other < disc ? sum + places : sum), place),
  );
}

/** A release can be played where any of its tracks can; without tracks there is nothing to conclude it from. */
function marketsOf(tracks: readonly (DeezerTrack | undefined)[]): string[] | undefined {
  if (tracks.length === 0) return undefined;
  const markets = new Set<string>();
  for (const track of tracks) {
    if (track?.available_countries === undefined) return undefined;
    for (const country of track.available_countries) markets.add(country);
  }
  return [...markets].sort();
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

/** Deezer says `compile` for what others call a compilation. */
function releaseType(recordType: string | undefined): string | undefined {
  const type = recordType?.toLowerCase();
  return type === 'compile' ? 'compilation' : type;
}

import { createHash } from 'node:crypto';
import type { JsonObject } from '../quirks/distort.js';
import type { ReleaseType, SimulatedArtist, SimulatedTrack } from '../world/entities.js';
import type { World } from '../world/world.js';

const PRIMARY_TYPES: Readonly<Record<ReleaseType, string>> = {
  album: 'Album',
  single: 'Single',
  ep: 'EP',
  compilation: 'Album',
};

/** A recording with what `inc` asks for (musicbrainz.org/doc/MusicBrainz_API). */
export function recordingObject(
  world: World,
  isrc: string,
  tracks: readonly SimulatedTrack[],
  inc: ReadonlySet<string>,
): JsonObject {
  const [first] = tracks;
  const releases = tracks.map((track) => world.known('release', track.releaseId));
  return {
    id: mbid('recording', isrc),
    title: first?.title ?? '',
    disambiguation: '',
    length: first?.durationMs ?? null,
    video: false,
    'first-release-date': releases.map((release) => release.releaseDate).sort()[0] ?? '',
    ...(inc.has('artist-credits') && {
      'artist-credit': (first?.artistIds ?? []).map((id, index, all) =>
        artistCredit(world.known('artist', id), index < all.length - 1),
      ),
    }),
    ...(inc.has('releases') && {
      releases: releases.map((release) => ({
        id: mbid('release', release.id),
        title: release.title,
        date: release.releaseDate,
        country: 'XW',
        status: 'Official',
        barcode: release.upc,
        disambiguation: '',
        ...(inc.has('release-groups') && {
          'release-group': {
            id: mbid('release-group', release.id),
            title: release.title,
            'primary-type': PRIMARY_TYPES[release.type],
            'secondary-types': release.type === 'compilation' ? ['Compilation'] : [],
            'first-release-date': release.releaseDate,
          },
        }),
      })),
    }),
  };
}

/** A UUID that depends on what it names alone. */
function mbid(kind: string, of: string): string {
  const hex = createHash('md5').update(`${kind}:${of}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

function artistCredit(artist: SimulatedArtist, isFollowed: boolean): JsonObject {
  return {
    name: artist.name,
    joinphrase: isFollowed ? ' feat. ' : '',
    artist: { id: mbid('artist', artist.id), name: artist.name, 'sort-name': artist.name, disambiguation: '' },
  };
}

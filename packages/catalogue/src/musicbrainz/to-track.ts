import type { Track, TrackRelease } from '../port.js';
import type { MusicBrainzRecording, MusicBrainzRelease } from './answers.js';

export function toTrack(recording: MusicBrainzRecording, isrc: string): Track {
  return {
    platformId: recording.id,
    name: recording.title,
    url: `https://musicbrainz.org/recording/${recording.id}`,
    isrc,
    durationMs: recording.length,
    // MusicBrainz does not judge it.
    explicit: undefined,
    artists: (recording['artist-credit'] ?? []).map(({ name, artist }) => ({ platformId: artist.id, name })),
    release: toRelease(earliest(recording.releases ?? [])),
  };
}

/** A recording may be on dozens of releases; the first of them is the one that it is known by. */
function earliest(releases: readonly MusicBrainzRelease[]): MusicBrainzRelease | undefined {
  const [first, ...others] = releases;
  if (!first) return undefined;
  return others.reduce((best, other) => (other.date && (!best.date || other.date < best.date) ? other : best), first);
}

function toRelease(release: MusicBrainzRelease | undefined): TrackRelease | undefined {
  if (!release) return undefined;
  const group = release['release-group'];
  const isCompilation = group?.['secondary-types']?.includes('Compilation');
  return {
    platformId: release.id,
    name: release.title,
    type: isCompilation ? 'compilation' : group?.['primary-type']?.toLowerCase(),
    releaseDate: release.date,
    upc: release.barcode,
    // It stands on the release alone, which would be another request.
    label: undefined,
  };
}

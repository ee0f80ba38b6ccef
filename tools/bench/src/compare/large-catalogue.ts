import type { CatalogueState, ReleaseState, TrackState } from '@artist-watch/domain/catalogue';

const RELEASES = 300;
const TRACKS_OF_EACH = 10;
const MARKETS = 180;

export function largeCatalogue(): CatalogueState {
  return {
    artist: { platformId: 'a1', name: 'Björk', imageId: 'i1', followers: 1_000_000, monthlyListeners: 2_000_000 },
    releases: Array.from({ length: RELEASES }, (_, index) => releaseOf(index)),
  };
}

/** Returns a copy that shares no objects with the original, like a second observation. */
export function readAgain(catalogue: CatalogueState): CatalogueState {
  return structuredClone(catalogue);
}

export function changed(catalogue: CatalogueState): CatalogueState {
  const releases = readAgain(catalogue).releases.flatMap((release, index): ReleaseState[] => {
    if (index % 10 !== 0) return [release];
    switch ((index / 10) % 4) {
      case 0:
        return [];
      case 1:
        return [{ ...release, title: `${release.title} (Remastered)` }];
      case 2:
        return [{ ...release, markets: release.markets?.slice(10) }];
      default:
        return [{ ...release, tracks: release.tracks?.map((track) => ({ ...track, title: `${track.title} (Live)` })) }];
    }
  });
  return { ...catalogue, releases };
}

function releaseOf(index: number): ReleaseState {
  return {
    platformId: `${100_000_000 + index}`,
    title: `Homogénic ${index}`,
    type: 'album',
    releaseDate: '1997-09-22',
    artworkId: `${index}a5d1b8f0c2e64d3f9b7a`,
    label: 'One Little Indian',
    upc: `${5_016_958_990_000 + index}`,
    explicit: false,
    credits: [{ platformId: 'a1', name: 'Björk' }],
    markets: Array.from({ length: MARKETS }, (_, market) => marketCode(market)),
    tracks: Array.from({ length: TRACKS_OF_EACH }, (_, track) => trackOf(index * TRACKS_OF_EACH + track, track + 1)),
  };
}

function trackOf(number: number, position: number): TrackState {
  return {
    platformId: `${900_000_000 + number}`,
    title: `Jóga ${number}`,
    isrc: `GBAAA97${String(number).padStart(5, '0')}`,
    position,
    explicit: false,
    credits: [
      { platformId: 'a1', name: 'Björk' },
      { platformId: 'a2', name: 'Arca' },
    ],
  };
}

function marketCode(index: number): string {
  return String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26));
}

import type { CatalogueState, Credit, ReleaseState, TrackState } from '@artist-watch/domain/catalogue';
import type { ReleaseType, SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import type { World } from '../world/world.js';

/** Converts fields in the catalogue to the values that the platform returns. */
export interface Sight {
  pictureId(id: string): string;
  releaseType(type: ReleaseType): string;
  releaseExplicit(explicit: boolean): boolean | undefined;
}

/**
 * Returns the catalogue that a complete read should return.
 * @param country the client's country. Undefined if the platform lists everything in every country.
 */
export function expectedState(
  world: World,
  artistId: string,
  country: string | undefined,
  sees: Sight,
): CatalogueState {
  const artist = world.known('artist', artistId);
  return {
    artist: {
      platformId: artist.id,
      name: artist.name,
      imageId: sees.pictureId(artist.imageId),
      followers: artist.followers,
      monthlyListeners: undefined,
    },
    releases: world
      .releasesOf(artistId)
      .filter((release) => country === undefined || release.markets.includes(country))
      .map((release) => releaseTruth(world, release, sees)),
  };
}

function releaseTruth(world: World, release: SimulatedRelease, sees: Sight): ReleaseState {
  const tracks = world.tracksOf(release.id);
  return {
    platformId: release.id,
    title: release.title,
    type: sees.releaseType(release.type),
    releaseDate: release.releaseDate,
    artworkId: sees.pictureId(release.artworkId),
    label: release.label,
    upc: release.upc,
    explicit: sees.releaseExplicit(release.explicit),
    credits: listCredits(world, release.artistIds),
    markets: [...release.markets].sort(),
    tracks: tracks.map((track) => trackTruth(world, track, tracks)),
  };
}

function trackTruth(world: World, track: SimulatedTrack, all: readonly SimulatedTrack[]): TrackState {
  const lastPositions = new Map<number, number>();
  for (const { disc, position } of all) {
    if (disc < track.disc) lastPositions.set(disc, Math.max(lastPositions.get(disc) ?? 0, position));
  }
  return {
    platformId: track.id,
    title: track.version === '' ? track.title : `${track.title} ${track.version}`,
    isrc: track.isrc,
    position: [...lastPositions.values()].reduce((sum, position) => sum + position, track.position),
    explicit: track.explicit,
    credits: listCredits(world, track.artistIds),
  };
}

function listCredits(world: World, artistIds: readonly string[]): Credit[] {
  return artistIds.map((id) => ({ platformId: id, name: world.known('artist', id).name }));
}

/** Lists the values that are wrong and the items that are missing. Unknown values don't count as wrong. */
export function contradictions(observed: CatalogueState, truth: CatalogueState): string[] {
  return [
    ...fieldContradictions('artist', observed.artist, truth.artist),
    ...listContradictions('releases', listedIn(observed), truth.releases, (what, release, actual) => {
      const { tracks, unknownTracks = 0, ...fields } = release;
      const { tracks: actualTracks = [], ...actualFields } = actual;
      const listed = tracks && { items: tracks, unknown: unknownTracks };
      return [
        ...fieldContradictions(what, fields, actualFields),
        ...(listed ? listContradictions(`${what} tracks`, listed, actualTracks, fieldContradictions) : []),
      ];
    }),
  ];
}

const listedIn = ({ releases, unknownReleases = 0 }: CatalogueState) => ({ items: releases, unknown: unknownReleases });

/** Up to `unknown` items may be missing. */
function listContradictions<Item extends { readonly platformId: string }>(
  what: string,
  { items: observed, unknown }: { readonly items: readonly Item[]; readonly unknown: number },
  truth: readonly Item[],
  compare: (what: string, observed: Item, truth: Item) => string[],
): string[] {
  const actual = new Map(truth.map((item) => [item.platformId, item]));
  const seen = new Set(observed.map((item) => item.platformId));
  return [
    ...truth
      .filter((item) => !seen.has(item.platformId))
      .slice(unknown)
      .map((item) => `${what}: ${item.platformId} is missing`),
    ...(seen.size === observed.length ? [] : [`${what}: an item is repeated`]),
    ...observed.flatMap((item) => {
      const counterpart = actual.get(item.platformId);
      if (!counterpart) return [`${what}: ${item.platformId} does not exist`];
      return compare(`${what} ${item.platformId}`, item, counterpart);
    }),
  ];
}

function fieldContradictions(what: string, observed: object, truth: object): string[] {
  return Object.entries(observed)
    .filter(([, value]) => value !== undefined)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify((truth as Record<string, unknown>)[name]))
    .map(([name, value]) => `${what} ${name}: ${JSON.stringify(value)}`);
}

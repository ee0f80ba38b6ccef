import type { DetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { PlatformSimulator } from '@artist-watch/platform-simulator/server';
import type {
  SimulatedArtist,
  SimulatedRelease,
  SimulatedTrack,
} from '@artist-watch/platform-simulator/world/entities';
import { pictureId } from '@artist-watch/platform-simulator/world/id-form';

/** The system must report exactly this change. */
export interface RealChange {
  readonly type: DetectedChangeType;
  readonly artistPlatformId: string;
  readonly entityId: string;
}

export interface PlannedChange {
  readonly artistPlatformId: string;
  /** Only a detailed read shows the change, and each release is read in detail once a day. */
  readonly isDeep: boolean;
  happen(): RealChange;
}

interface Happening {
  readonly type: DetectedChangeType;
  readonly isDeep?: boolean;
  /** Returns the id of the changed entity. */
  happen(simulator: PlatformSimulator, on: Subject): string;
}

interface Subject {
  readonly artist: SimulatedArtist;
  readonly release: SimulatedRelease;
  readonly track: SimulatedTrack;
  readonly number: number;
}

const release = (
  type: DetectedChangeType,
  change: (on: SimulatedRelease) => Partial<Omit<SimulatedRelease, 'id' | 'artistId'>>,
): Happening => ({
  type,
  happen: ({ state }, on) => state.changeRelease(on.release.id, change(on.release)).id,
});

const artist = (
  type: DetectedChangeType,
  change: (on: SimulatedArtist) => Partial<Omit<SimulatedArtist, 'id'>>,
): Happening => ({
  type,
  happen: ({ state }, on) => state.changeArtist(on.artist.id, change(on.artist)).id,
});

const removal = release('release_removed', () => ({ removed: true }));
const move: Happening = {
  type: 'release_moved',
  happen: ({ state, additions }, on) => state.moveRelease(on.release.id, additions.addArtist({ releases: 0 }).id).id,
};
const merge: Happening = {
  type: 'artist_merged',
  happen: ({ state, additions }, on) =>
    state.changeArtist(on.artist.id, { mergedInto: additions.addArtist({ releases: 0 }).id }).id,
};
const title = release('release_title_changed', (on) => ({ title: `${on.title} (Remastered)` }));
const date = release('release_date_changed', () => ({ releaseDate: '2026-02-27' }));
const artwork = release('artwork_changed', (on) => ({ artworkId: pictureId(on.artworkId) }));
const name = artist('artist_name_changed', (on) => ({ name: `The ${on.name}` }));
const image = artist('artist_image_changed', (on) => ({ imageId: pictureId(on.imageId) }));
const addition: Happening = {
  type: 'release_added',
  happen: ({ additions }, { artist: { id }, number }) =>
    additions.addRelease({ artistId: id, title: `New ${number}`, tracks: 2 }).id,
};
const label: Happening = { ...release('label_changed', () => ({ label: 'Another Label' })), isDeep: true };
const upc: Happening = { ...release('upc_changed', () => ({ upc: '00724381061527' })), isDeep: true };
const trackRemoval: Happening = {
  type: 'track_removed',
  isDeep: true,
  happen: ({ state }, { track }) => state.changeTrack(track.id, { removed: true }).id,
};
const isrc: Happening = {
  type: 'isrc_changed',
  isDeep: true,
  happen: ({ state }, { track, number }) =>
    state.changeTrack(track.id, { isrc: `USABC26${String(number).padStart(5, '0')}` }).id,
};

/** A single poll shows the change if the list of releases includes the markets. */
const market = (happen: 'open' | 'close'): Happening => ({
  type: happen === 'open' ? 'availability_expanded' : 'availability_reduced',
  happen: ({ state }, on) => state.trade(on.artist.id, [happen === 'open' ? 'RU' : 'NZ'], happen === 'open').id,
});

/** Five of twenty are removals. More would trip the brake. */
const HAPPENINGS: readonly Happening[] = [
  removal,
  title,
  addition,
  artwork,
  label,
  trackRemoval,
  name,
  date,
  title,
  image,
  artist('artist_removed', () => ({ removed: true })),
  addition,
  artwork,
  title,
  isrc,
  move,
  name,
  date,
  addition,
  merge,
];

export interface Shown {
  /** Market changes replace two others if the list of releases includes markets. */
  readonly markets: boolean;
  /** Without labels, a change of the UPC replaces the change of the label. */
  readonly labels: boolean;
  /** If half of all requests fail, a list of more than five pages is practically never read completely. */
  readonly mostReleases: number;
}

function happeningsWhere({ markets, labels }: Shown): readonly Happening[] {
  const all = labels ? HAPPENINGS : HAPPENINGS.map((one) => (one === label ? upc : one));
  return markets ? all.with(8, market('close')).with(18, market('open')) : all;
}

/** Picks a fifth of the artists and plans a change for each. */
export function planRealChanges(simulator: PlatformSimulator, shown: Shown): PlannedChange[] {
  const happenings = happeningsWhere(shown);
  const { state } = simulator;
  const artists = state.artists().filter(({ id }) => {
    const { length } = state.releasesOf(id);
    return length >= 4 && length <= shown.mostReleases;
  });
  const count = Math.floor(state.artists().length / 5);
  return artists.slice(0, count).map((subject, number) => {
    const kind = happenings[number % happenings.length] ?? removal;
    return {
      artistPlatformId: subject.id,
      isDeep: kind.isDeep === true,
      happen() {
        const [newest] = state.releasesOf(subject.id);
        const [track] = newest ? state.tracksOf(newest.id) : [];
        if (!newest || !track) throw new Error(`The artist ${subject.id} has no release with a track.`);
        const entityId = kind.happen(simulator, { artist: subject, release: newest, track, number });
        return { type: kind.type, artistPlatformId: subject.id, entityId };
      },
    };
  });
}

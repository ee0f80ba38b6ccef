import type { CatalogueState, Credit, ReleaseState, TrackState } from '../catalogue.js';
import type { JsonValue } from '../change/difference.js';
import { type JsonReader, readFlag, readNumber, readText } from './json-reading.js';

/** A catalogue as it is stored: unknown fields are left out. */
export function serialiseCatalogue(state: CatalogueState): JsonValue {
  return JSON.parse(JSON.stringify(state));
}

/** @throws {UnreadableRecordError} */
export function readCatalogue(reader: JsonReader): CatalogueState {
  const artist = reader.at('artist');
  return {
    artist: {
      platformId: artist.at('platformId').text(),
      name: artist.at('name').maybe(readText),
      imageId: artist.at('imageId').maybe(readText),
      followers: artist.at('followers').maybe(readNumber),
      monthlyListeners: artist.at('monthlyListeners').maybe(readNumber),
    },
    releases: reader.at('releases').list(readRelease),
  };
}

export function readRelease(reader: JsonReader): ReleaseState {
  return {
    platformId: reader.at('platformId').text(),
    title: reader.at('title').maybe(readText),
    type: reader.at('type').maybe(readText),
    releaseDate: reader.at('releaseDate').maybe(readText),
    artworkId: reader.at('artworkId').maybe(readText),
    label: reader.at('label').maybe(readText),
    upc: reader.at('upc').maybe(readText),
    explicit: reader.at('explicit').maybe(readFlag),
    credits: reader.at('credits').maybe((credits) => credits.list(readCredit)),
    markets: reader.at('markets').maybe((markets) => markets.list(readText)),
    tracks: reader.at('tracks').maybe((tracks) => tracks.list(readTrack)),
  };
}

function readTrack(reader: JsonReader): TrackState {
  return {
    platformId: reader.at('platformId').text(),
    title: reader.at('title').maybe(readText),
    isrc: reader.at('isrc').maybe(readText),
    position: reader.at('position').maybe(readNumber),
    explicit: reader.at('explicit').maybe(readFlag),
    credits: reader.at('credits').maybe((credits) => credits.list(readCredit)),
  };
}

function readCredit(reader: JsonReader): Credit {
  return { platformId: reader.at('platformId').maybe(readText), name: reader.at('name').text() };
}

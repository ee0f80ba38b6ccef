import type { z } from 'zod';
import type { CloserLook } from '../closer-look.js';
import { orAbsent, type Relinked } from '../evidence.js';
import { readWholeList } from '../list-pages.js';
import { badAnswer } from '../platform-error.js';
import type { Ask } from '../read-scope.js';
import {
  albumSchema,
  artistSchema,
  batchSchemas,
  listedAlbumSchema,
  listedTrackSchema,
  pageSchema,
  type SpotifyAlbum,
  type SpotifyArtist,
  type SpotifyListedAlbum,
  type SpotifyListedTrack,
  type SpotifyTrack,
  trackSchema,
} from './answers.js';
import { interpretSpotify } from './interpret.js';

/** How Spotify's things are asked for, one by one, several at once, and as whole lists. */

/** The most that the Web API takes for a page; more is refused, not capped. */
const PAGE_SIZE = 50;

/** The artist's own releases; those on which the artist is a guest belong to others. */
const OWN_GROUPS = 'album,single,compilation';

const albumPageSchema = pageSchema(listedAlbumSchema);
const trackPageSchema = pageSchema(listedTrackSchema);

export const readArtist = (ask: Ask, id: string): Promise<SpotifyArtist | Relinked> =>
  readOne(ask, 'artists', artistSchema, id);
export const readAlbum = (ask: Ask, id: string): Promise<SpotifyAlbum | Relinked> =>
  readOne(ask, 'albums', albumSchema, id);
export const readTrack = (ask: Ask, id: string): Promise<SpotifyTrack | Relinked> =>
  readOne(ask, 'tracks', trackSchema, id);

async function readOne<Schema extends z.ZodType<{ readonly id: string }>>(
  ask: Ask,
  kind: 'artists' | 'albums' | 'tracks',
  schema: Schema,
  id: string,
): Promise<z.output<Schema> | Relinked> {
  const request = { operation: kind, path: `/v1/${kind}/${encodeURIComponent(id)}` };
  const answer = await ask(request, interpretSpotify(schema, `${kind} ${id}`));
  return answer.id === id ? answer : 'relinked';
}

/** No market is given: with one, Spotify hides what is not sold there and answers ids with others that are. */
export function readAlbums(ask: Ask, artistId: string): Promise<SpotifyListedAlbum[]> {
  const what = `releases of artist ${artistId}`;
  return readWholeList({
    what,
    pageSize: PAGE_SIZE,
    idOf: (album) => album.id,
    readPage: async (offset, limit) => {
      const query = `include_groups=${OWN_GROUPS}&limit=${limit}&offset=${offset}`;
      const path = `/v1/artists/${encodeURIComponent(artistId)}/albums?${query}`;
      return ask({ operation: 'artist albums', path }, interpretSpotify(albumPageSchema, what));
    },
  });
}

/** The first page comes with the album itself. */
export function readTracks(ask: Ask, album: SpotifyAlbum): Promise<SpotifyListedTrack[]> {
  const what = `tracks of release ${album.id}`;
  return readWholeList({
    what,
    pageSize: PAGE_SIZE,
    idOf: (track) => track.id,
    readPage: async (offset, limit) => {
      if (offset === 0 && album.tracks) return album.tracks;
      const path = `/v1/albums/${encodeURIComponent(album.id)}/tracks?limit=${limit}&offset=${offset}`;
      return ask({ operation: 'album tracks', path }, interpretSpotify(trackPageSchema, what));
    },
  });
}

/** Things by their ids; undefined where the platform answered with another one, absent where a look let it be unread. */
export type Several<Thing> = ReadonlyMap<string, Thing | undefined>;

interface SeveralReading<Thing> {
  readonly kind: 'albums' | 'tracks';
  /** The most ids that one request takes. */
  readonly atOnce: number;
  readonly schema: z.ZodType<readonly (Thing | null)[]>;
  readonly readOne: (ask: Ask, id: string) => Promise<Thing | Relinked>;
}

const SEVERAL_ALBUMS: SeveralReading<SpotifyAlbum> = {
  kind: 'albums',
  atOnce: 20,
  schema: batchSchemas.albums,
  readOne: readAlbum,
};

const SEVERAL_TRACKS: SeveralReading<SpotifyTrack> = {
  kind: 'tracks',
  atOnce: 50,
  schema: batchSchemas.tracks,
  readOne: readTrack,
};

export interface SeveralOptions {
  /** Whether the app may ask for several at once (extended quota mode). */
  readonly batches: boolean;
  /** Lets what fails be unread; without it, one failure is the failure of all. */
  readonly look?: CloserLook;
}

export const readSeveralAlbums = (
  ask: Ask,
  ids: readonly string[],
  options: SeveralOptions,
): Promise<Several<SpotifyAlbum>> => readSeveral(ask, SEVERAL_ALBUMS, ids, options);

export const readSeveralTracks = (
  ask: Ask,
  ids: readonly string[],
  options: SeveralOptions,
): Promise<Several<SpotifyTrack>> => readSeveral(ask, SEVERAL_TRACKS, ids, options);

/** What a list has named must exist: `bad_answer` when it does not. */
async function readSeveral<Thing extends { readonly id: string }>(
  ask: Ask,
  reading: SeveralReading<Thing>,
  ids: readonly string[],
  { batches, look }: SeveralOptions,
): Promise<Several<Thing>> {
  const chunks = chunked([...new Set(ids)], batches ? reading.atOnce : 1);
  const read = (chunk: readonly string[]) =>
    batches ? readBatch(ask, reading, chunk) : readNamed(ask, reading, chunk);
  const entries = await (look ? look.parts(chunks, read) : Promise.all(chunks.map(read)));
  return new Map(entries.flatMap((chunk) => chunk ?? []));
}

type Entry<Thing> = readonly [id: string, thing: Thing | undefined];

async function readBatch<Thing extends { readonly id: string }>(
  ask: Ask,
  { kind, schema }: SeveralReading<Thing>,
  ids: readonly string[],
): Promise<Entry<Thing>[]> {
  const what = `${ids.length} ${kind}`;
  const request = { operation: `several ${kind}`, path: `/v1/${kind}?ids=${ids.join(',')}` };
  const things = await ask(request, interpretSpotify(schema, what));
  if (things.length !== ids.length) throw badAnswer(`${what}: ${things.length} answered`);
  return ids.map((id, index) => {
    const thing = things[index];
    if (!thing) throw badAnswer(`${kind} ${id} is in a list, but does not exist`);
    return [id, thing.id === id ? thing : undefined];
  });
}

async function readNamed<Thing>(
  ask: Ask,
  { kind, readOne }: SeveralReading<Thing>,
  ids: readonly string[],
): Promise<Entry<Thing>[]> {
  return Promise.all(
    ids.map(async (id) => {
      const thing = await orAbsent(readOne(ask, id));
      if (thing === undefined) throw badAnswer(`${kind} ${id} is in a list, but does not exist`);
      return [id, thing === 'relinked' ? undefined : thing] as const;
    }),
  );
}

function chunked<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}

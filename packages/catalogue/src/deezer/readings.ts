import type { ReleaseState } from '@artist-watch/domain/catalogue';
import type { z } from 'zod';
import { orAbsent, type Relinked } from '../evidence.js';
import { comesOut } from '../known.js';
import {
  type KnownDisagreements,
  RELEASES_AGREEING,
  readWholeList,
  TRACKS_AGREEING,
  type WholeList,
} from '../list-pages.js';
import { badAnswer } from '../platform-error.js';
import { closerOf, type DirectReading, type ReadDepth, type Track } from '../port.js';
import { type Ask, CloserLook } from '../read-scope.js';
import {
  albumPageSchema,
  albumSchema,
  type DeezerAlbum,
  type DeezerListedAlbum,
  type DeezerListedTrack,
  type DeezerTrack,
  trackPageSchema,
  trackSchema,
} from './answers.js';
import { interpretDeezer } from './interpret.js';
import { type DeezerRelease, releaseState, toTrack } from './to-state.js';

/** How Deezer's things are asked for, one by one and as whole lists. */

/** The most that the API puts on a page. */
const PAGE_SIZE = 100;

type Kind = 'artist' | 'album' | 'track';
type ThingSchema = z.ZodType<{ readonly id: string }>;

/** What is answered about one id; it may be another thing. */
export function askForOne<Schema extends ThingSchema>(
  ask: Ask,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema>> {
  const request = { operation: kind, path: `/${kind}/${encodeURIComponent(id)}` };
  return ask(request, interpretDeezer(schema, `${kind} ${id}`));
}

/** One thing by its id, or `relinked` when the answer is about another one. */
export async function readOne<Schema extends ThingSchema>(
  ask: Ask,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema> | Relinked> {
  const answer = await askForOne(ask, kind, schema, id);
  return answer.id === id ? answer : 'relinked';
}

export function readAlbums(
  ask: Ask,
  artistId: string,
  disagreements: KnownDisagreements,
): Promise<WholeList<DeezerListedAlbum>> {
  const what = `releases of artist ${artistId}`;
  const readPage = (index: number) => {
    const path = `/artist/${encodeURIComponent(artistId)}/albums?index=${index}&limit=${PAGE_SIZE}`;
    return ask({ operation: 'artist albums', path }, interpretDeezer(albumPageSchema, what));
  };
  return readWholeList({ what, agreeing: RELEASES_AGREEING, idOf: (album) => album.id, readPage }, disagreements);
}

function readTracks(
  ask: Ask,
  albumId: string,
  disagreements: KnownDisagreements,
): Promise<WholeList<DeezerListedTrack>> {
  const what = `tracks of release ${albumId}`;
  const readPage = (index: number) => {
    const path = `/album/${encodeURIComponent(albumId)}/tracks?index=${index}&limit=${PAGE_SIZE}`;
    return ask({ operation: 'album tracks', path }, interpretDeezer(trackPageSchema, what));
  };
  return readWholeList({ what, agreeing: TRACKS_AGREEING, idOf: (track) => track.id, readPage }, disagreements);
}

export interface ReadingContext {
  readonly disagreements: KnownDisagreements;
  readonly now: Date;
}

/** A release that was to be read closely and could not be stands there as the list has it. */
export async function readReleases(
  ask: Ask,
  albums: readonly DeezerListedAlbum[],
  depth: ReadDepth,
  context: ReadingContext,
): Promise<ReleaseState[]> {
  const { ids, full } = closerOf(depth, albums);
  const details = await new CloserLook().parts(ids, (id) => readDetails(ask, id, full(id), context));
  const detailsOf = new Map(ids.map((id, index) => [id, details[index]]));
  return albums.map((album) => releaseState(album, detailsOf.get(album.id)));
}

/** Undefined when the platform answered with another release: nothing is known of this one then. */
async function readDetails(
  ask: Ask,
  albumId: string,
  full: boolean,
  { disagreements, now }: ReadingContext,
): Promise<DeezerRelease | undefined> {
  const [album, { items: tracks, unknown }] = await Promise.all([
    readOne(ask, 'album', albumSchema, albumId),
    readTracks(ask, albumId, disagreements),
  ]);
  if (album === 'relinked' || !areTracksOf(album.tracks?.data, tracks, unknown)) return undefined;
  const nothing = { album, tracks: undefined, unknown: 0, singly: new Map(), full };
  if (tracks.length === 0 || comesOut(album.release_date, now) === 'later') return nothing;
  // Whether a track that cannot be played here can be played anywhere stands on the track alone.
  const singly = await readSingly(ask, full ? tracks : tracks.filter(({ readable }) => readable === false));
  const there = tracks.filter(({ id }) => lifeOf(singly.get(id), now) !== 'gone');
  return { album, tracks: there, unknown, singly, full };
}

/**
 * Deezer goes on answering for a track that was taken down, and may keep it in the list of its release: it can be played
 * in no country. One that is unreadable, but has countries, is sold elsewhere, and one that is not out yet is to come.
 */
export function lifeOf(track: DeezerTrack | Relinked | undefined, now: Date): DirectReading {
  if (track === undefined || track === 'relinked') return 'unknown';
  const { readable, available_countries: countries, album } = track;
  if (readable === true || (countries !== undefined && countries.length > 0)) return 'alive';
  if (readable !== false || countries === undefined) return 'unknown';
  return comesOut(album?.release_date, now) === 'is out' ? 'gone' : 'alive';
}

/**
 * Deezer goes on answering for some releases that were taken down, with tracks that it has no more, or that can be played in
 * no country. One that is only missing from the artist's list has a track that can be played somewhere, or is to come. No
 * recorded answer shows that a release without any track was taken down.
 */
export async function lifeOfRelease(
  ask: Ask,
  { tracks, release_date }: DeezerAlbum,
  now: Date,
): Promise<DirectReading> {
  if (comesOut(release_date, now) !== 'is out') return 'alive';
  if (tracks === undefined || tracks.data.length === 0) return 'unknown';
  if (tracks.data.some(({ readable }) => readable === true)) return 'alive';
  for (const { id } of tracks.data) {
    const track = await orAbsent(readOne(ask, 'track', trackSchema, id));
    const life = track === undefined ? 'gone' : lifeOf(track, now);
    if (life !== 'gone') return life;
  }
  return 'gone';
}

/** What is left of a track that was taken down: no title, no date, no picture. */
export function isHollow({ title, album }: DeezerTrack): boolean {
  return title === undefined && album?.release_date === undefined && album?.md5_image === undefined;
}

/** A track list does not name its release, but the release names its first tracks: a list of another one is found out. */
function areTracksOf(
  named: readonly { readonly id: string }[] | undefined,
  listed: readonly DeezerListedTrack[],
  unknown: number,
): boolean {
  const ids = new Set(listed.map((track) => track.id));
  return named !== undefined && named.filter((track) => !ids.has(track.id)).length <= unknown;
}

async function readSingly(
  ask: Ask,
  tracks: readonly DeezerListedTrack[],
): Promise<ReadonlyMap<string, DeezerTrack | undefined>> {
  const read = tracks.map(async ({ id }) => {
    const track = await readOne(ask, 'track', trackSchema, id);
    return [id, track === 'relinked' ? undefined : track] as const;
  });
  return new Map(await Promise.all(read));
}

/** The release's code, label and type stand on the release alone. */
export async function withRelease(ask: Ask, track: DeezerTrack): Promise<Track> {
  if (track.title === undefined) throw badAnswer(`track ${track.id}: no title`);
  const album = track.album && (await orAbsent(readOne(ask, 'album', albumSchema, track.album.id)));
  return toTrack(track, album === 'relinked' ? undefined : album);
}

import type { ReleaseState } from '@artist-watch/domain/catalogue';
import type { z } from 'zod';
import { type Relinked, undefinedIfNotFound } from '../evidence.js';
import { releaseTiming } from '../known.js';
import {
  type ListMismatches,
  MATCHING_RELEASE_READS,
  MATCHING_TRACK_READS,
  readWholeList,
  type WholeList,
} from '../list-pages.js';
import { badResponse, type DirectReading, planDetails, type ReadDepth, type Track } from '../port.js';
import { DetailedReads, type SendRequest } from '../read-scope.js';
import {
  albumPageSchema,
  albumSchema,
  type DeezerAlbum,
  type DeezerListedAlbum,
  type DeezerListedTrack,
  type DeezerRelease,
  type DeezerTrack,
  interpretDeezer,
  releaseState,
  toTrack,
  trackPageSchema,
  trackSchema,
} from './responses.js';

/** The API's maximum page size. */
const PAGE_SIZE = 100;

type Kind = 'artist' | 'album' | 'track';
type ThingSchema = z.ZodType<{ readonly id: string }>;

/** The response may be about a different entity. */
export function requestOne<Schema extends ThingSchema>(
  send: SendRequest,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema>> {
  const request = { operation: kind, path: `/${kind}/${encodeURIComponent(id)}` };
  return send(request, interpretDeezer(schema, `${kind} ${id}`));
}

export async function readOne<Schema extends ThingSchema>(
  send: SendRequest,
  kind: Kind,
  schema: Schema,
  id: string,
): Promise<z.output<Schema> | Relinked> {
  const response = await requestOne(send, kind, schema, id);
  return response.id === id ? response : 'relinked';
}

export function readAlbums(
  send: SendRequest,
  artistId: string,
  mismatches: ListMismatches,
): Promise<WholeList<DeezerListedAlbum>> {
  const what = `releases of artist ${artistId}`;
  const readPage = (index: number) => {
    const path = `/artist/${encodeURIComponent(artistId)}/albums?index=${index}&limit=${PAGE_SIZE}`;
    return send({ operation: 'artist albums', path }, interpretDeezer(albumPageSchema, what));
  };
  return readWholeList(
    { what, matchingReads: MATCHING_RELEASE_READS, idOf: (album) => album.id, readPage },
    mismatches,
  );
}

function readTracks(
  send: SendRequest,
  albumId: string,
  mismatches: ListMismatches,
): Promise<WholeList<DeezerListedTrack>> {
  const what = `tracks of release ${albumId}`;
  const readPage = (index: number) => {
    const path = `/album/${encodeURIComponent(albumId)}/tracks?index=${index}&limit=${PAGE_SIZE}`;
    return send({ operation: 'album tracks', path }, interpretDeezer(trackPageSchema, what));
  };
  return readWholeList({ what, matchingReads: MATCHING_TRACK_READS, idOf: (track) => track.id, readPage }, mismatches);
}

export interface ReadingContext {
  readonly mismatches: ListMismatches;
  readonly now: Date;
}

/** If a detailed read fails, the release has only the fields from the list. */
export async function readReleases(
  send: SendRequest,
  albums: readonly DeezerListedAlbum[],
  depth: ReadDepth,
  context: ReadingContext,
): Promise<ReleaseState[]> {
  const { ids, full } = planDetails(depth, albums);
  const details = await new DetailedReads().readAll(ids, (id) => readDetails(send, id, full(id), context));
  const detailsOf = new Map(ids.map((id, index) => [id, details[index]]));
  return albums.map((album) => releaseState(album, detailsOf.get(album.id)));
}

/** Returns undefined if the track list belongs to a different release. */
async function readDetails(
  send: SendRequest,
  albumId: string,
  full: boolean,
  { mismatches, now }: ReadingContext,
): Promise<DeezerRelease | undefined> {
  const [album, { items: tracks, unknown }] = await Promise.all([
    readOne(send, 'album', albumSchema, albumId),
    readTracks(send, albumId, mismatches),
  ]);
  if (album === 'relinked' || !matchesTrackList(album.tracks?.data, tracks, unknown)) return undefined;
  const nothing = { album, tracks: undefined, unknown: 0, trackDetails: new Map(), full };
  if (tracks.length === 0 || releaseTiming(album.release_date, now) === 'later') return nothing;
  // Only a track's own response says whether it is playable in other countries.
  const trackDetails = await readTrackDetails(
    send,
    full ? tracks : tracks.filter(({ readable }) => readable === false),
  );
  const there = tracks.filter(({ id }) => trackStatus(trackDetails.get(id), now) !== 'gone');
  return { album, tracks: there, unknown, trackDetails, full };
}

/** Deezer still returns removed tracks, but they aren't playable in any country. */
export function trackStatus(track: DeezerTrack | Relinked | undefined, now: Date): DirectReading {
  if (track === undefined || track === 'relinked') return 'unknown';
  const { readable, available_countries: countries, album } = track;
  if (readable === true || (countries !== undefined && countries.length > 0)) return 'alive';
  if (readable !== false || countries === undefined) return 'unknown';
  return releaseTiming(album?.release_date, now) === 'out' ? 'gone' : 'alive';
}

/** Deezer still returns some removed releases, but all their tracks are gone. */
export async function readReleaseStatus(
  send: SendRequest,
  { tracks, release_date }: DeezerAlbum,
  now: Date,
): Promise<DirectReading> {
  if (releaseTiming(release_date, now) !== 'out') return 'alive';
  if (tracks === undefined || tracks.data.length === 0) return 'unknown';
  if (tracks.data.some(({ readable }) => readable === true)) return 'alive';
  for (const { id } of tracks.data) {
    const track = await undefinedIfNotFound(readOne(send, 'track', trackSchema, id));
    const status = track === undefined ? 'gone' : trackStatus(track, now);
    if (status !== 'gone') return status;
  }
  return 'gone';
}

/** Deezer keeps a stub of some removed tracks. */
export function isStub({ title, album }: DeezerTrack): boolean {
  return title === undefined && album?.release_date === undefined && album?.md5_image === undefined;
}

/** Compares the ids of the first tracks, because a track list does not include its release's id. */
function matchesTrackList(
  named: readonly { readonly id: string }[] | undefined,
  listed: readonly DeezerListedTrack[],
  unknown: number,
): boolean {
  const ids = new Set(listed.map((track) => track.id));
  return named !== undefined && named.filter((track) => !ids.has(track.id)).length <= unknown;
}

async function readTrackDetails(
  send: SendRequest,
  tracks: readonly DeezerListedTrack[],
): Promise<ReadonlyMap<string, DeezerTrack | undefined>> {
  const read = tracks.map(async ({ id }) => {
    const track = await readOne(send, 'track', trackSchema, id);
    return [id, track === 'relinked' ? undefined : track] as const;
  });
  return new Map(await Promise.all(read));
}

/** Only the response for a release includes the UPC, label and type. */
export async function withRelease(send: SendRequest, track: DeezerTrack): Promise<Track> {
  if (track.title === undefined) throw badResponse(`track ${track.id}: no title`);
  const album = track.album && (await undefinedIfNotFound(readOne(send, 'album', albumSchema, track.album.id)));
  return toTrack(track, album === 'relinked' ? undefined : album);
}

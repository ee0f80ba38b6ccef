import type { z } from 'zod';
import { type Relinked, undefinedIfNotFound } from '../evidence.js';
import type { JsonResponse } from '../http/platform-http.js';
import { badResponse } from '../port.js';
import type { DetailedReads, SendRequest } from '../read-scope.js';
import { readAlbum, readTrack } from './readings.js';
import {
  batchSchemas,
  type Capability,
  interpretSpotify,
  REJECTED,
  rejectsBatch,
  type SpotifyAlbum,
  type SpotifyTrack,
  unlessRejected,
} from './responses.js';

/** A value is undefined if Spotify returned a different entity. Failed reads have no entry. */
export type ThingsById<Thing> = ReadonlyMap<string, Thing | undefined>;

interface BatchSource<Thing> {
  readonly kind: 'albums' | 'tracks';
  readonly maxIds: number;
  readonly schema: z.ZodType<readonly (Thing | null)[]>;
  readonly readOne: (send: SendRequest, id: string) => Promise<Thing | Relinked>;
}

export const ALBUMS: BatchSource<SpotifyAlbum> = {
  kind: 'albums',
  maxIds: 20,
  schema: batchSchemas.albums,
  readOne: readAlbum,
};

export const TRACKS: BatchSource<SpotifyTrack> = {
  kind: 'tracks',
  maxIds: 50,
  schema: batchSchemas.tracks,
  readOne: readTrack,
};

export interface BatchOptions {
  readonly batches: Capability;
  /** If details are optional, failed entities are skipped. Otherwise one failure fails the whole read. */
  readonly details?: DetailedReads;
}

type Entry<Thing> = readonly [id: string, thing: Thing | undefined];

/** @throws PlatformError `bad_answer` if a listed entity does not exist */
export async function readByIds<Thing extends { readonly id: string }>(
  send: SendRequest,
  reading: BatchSource<Thing>,
  ids: readonly string[],
  { batches, details }: BatchOptions,
): Promise<ThingsById<Thing>> {
  const inParts = <Key, Part>(
    keys: readonly Key[],
    read: (key: Key) => Promise<Part>,
  ): Promise<(Part | undefined)[]> => (details ? details.readAll(keys, read) : Promise.all(keys.map(read)));
  const chunks = chunked([...new Set(ids)], reading.maxIds);
  const batched = await inParts(chunks, (chunk) => readBatch(send, reading, chunk, batches));
  const rejected = chunks.filter((_, index) => batched[index] === REJECTED).flat();
  const individual = await inParts(rejected, (id) => readListed(send, reading, id));
  const entries = [...batched.flatMap((part) => (part === REJECTED ? [] : part)), ...individual];
  return new Map(entries.filter((entry) => entry !== undefined));
}

/** Reads a single id without a batch, because both cost one request. */
async function readBatch<Thing extends { readonly id: string }>(
  send: SendRequest,
  { kind, schema }: BatchSource<Thing>,
  ids: readonly string[],
  batches: Capability,
): Promise<Entry<Thing>[] | typeof REJECTED> {
  if (ids.length === 1 || !batches.shouldTry) return REJECTED;
  const what = `${ids.length} ${kind}`;
  const request = { operation: `several ${kind}`, path: `/v1/${kind}?ids=${ids.join(',')}` };
  const interpret = (response: JsonResponse) => {
    // A missing entity is null in the response, so a 404 for the whole request is invalid.
    if (response.status === 404) throw badResponse(`${what}: 404`);
    return interpretSpotify(schema, what)(response);
  };
  const things = await send(request, unlessRejected(rejectsBatch, interpret));
  if (things === REJECTED) {
    batches.markRejected();
    return REJECTED;
  }
  if (things.length !== ids.length) throw badResponse(`${what}: the response has ${things.length}`);
  return ids.map((id, index) => {
    const thing = things[index];
    if (!thing) throw badResponse(`${kind} ${id} is listed, but does not exist`);
    return [id, thing.id === id ? thing : undefined];
  });
}

async function readListed<Thing>(
  send: SendRequest,
  { kind, readOne }: BatchSource<Thing>,
  id: string,
): Promise<Entry<Thing>> {
  const thing = await undefinedIfNotFound(readOne(send, id));
  if (thing === undefined) throw badResponse(`${kind} ${id} is listed, but does not exist`);
  return [id, thing === 'relinked' ? undefined : thing];
}

function chunked<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}

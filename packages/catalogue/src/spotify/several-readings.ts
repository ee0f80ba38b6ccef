import type { z } from 'zod';
import { orAbsent, type Relinked } from '../evidence.js';
import type { JsonAnswer } from '../http/answer.js';
import { badAnswer } from '../platform-error.js';
import type { Ask, CloserLook } from '../read-scope.js';
import { batchSchemas, type SpotifyAlbum, type SpotifyTrack } from './answers.js';
import { type Capability, interpretSpotify, REFUSED, refusesBatch, unlessRefused } from './interpret.js';
import { readAlbum, readTrack } from './readings.js';

/** Things by their ids; undefined where the platform answered with another one, absent where it could not be read. */
export type Several<Thing> = ReadonlyMap<string, Thing | undefined>;

interface SeveralReading<Thing> {
  readonly kind: 'albums' | 'tracks';
  /** The most ids that one request takes. */
  readonly atOnce: number;
  readonly schema: z.ZodType<readonly (Thing | null)[]>;
  readonly readOne: (ask: Ask, id: string) => Promise<Thing | Relinked>;
}

export const ALBUMS: SeveralReading<SpotifyAlbum> = {
  kind: 'albums',
  atOnce: 20,
  schema: batchSchemas.albums,
  readOne: readAlbum,
};

export const TRACKS: SeveralReading<SpotifyTrack> = {
  kind: 'tracks',
  atOnce: 50,
  schema: batchSchemas.tracks,
  readOne: readTrack,
};

export interface SeveralOptions {
  /** Several at once; without it, one by one. */
  readonly batches: Capability;
  /** Lets what fails be unread; without it, one failure is the failure of all. */
  readonly look?: CloserLook;
}

type Entry<Thing> = readonly [id: string, thing: Thing | undefined];

/** What a list has named must exist: `bad_answer` when it does not. */
export async function readSeveral<Thing extends { readonly id: string }>(
  ask: Ask,
  reading: SeveralReading<Thing>,
  ids: readonly string[],
  { batches, look }: SeveralOptions,
): Promise<Several<Thing>> {
  const inParts = <Key, Part>(
    keys: readonly Key[],
    read: (key: Key) => Promise<Part>,
  ): Promise<(Part | undefined)[]> => (look ? look.parts(keys, read) : Promise.all(keys.map(read)));
  const chunks = chunked([...new Set(ids)], reading.atOnce);
  const together = await inParts(chunks, (chunk) => readTogether(ask, reading, chunk, batches));
  const refused = chunks.filter((_, index) => together[index] === REFUSED).flat();
  const singly = await inParts(refused, (id) => readNamed(ask, reading, id));
  const entries = [...together.flatMap((part) => (part === REFUSED ? [] : part)), ...singly];
  return new Map(entries.filter((entry) => entry !== undefined));
}

/** One alone costs the same either way, and is never refused. */
async function readTogether<Thing extends { readonly id: string }>(
  ask: Ask,
  { kind, schema }: SeveralReading<Thing>,
  ids: readonly string[],
  batches: Capability,
): Promise<Entry<Thing>[] | typeof REFUSED> {
  if (ids.length === 1 || !batches.mayBeTried) return REFUSED;
  const what = `${ids.length} ${kind}`;
  const request = { operation: `several ${kind}`, path: `/v1/${kind}?ids=${ids.join(',')}` };
  const interpret = (answer: JsonAnswer) => {
    // What does not exist is null among the others: that all of them together do not exist is no answer.
    if (answer.status === 404) throw badAnswer(`${what}: 404`);
    return interpretSpotify(schema, what)(answer);
  };
  const things = await ask(request, unlessRefused(refusesBatch, interpret));
  if (things === REFUSED) {
    batches.refused();
    return REFUSED;
  }
  if (things.length !== ids.length) throw badAnswer(`${what}: ${things.length} answered`);
  return ids.map((id, index) => {
    const thing = things[index];
    if (!thing) throw badAnswer(`${kind} ${id} is in a list, but does not exist`);
    return [id, thing.id === id ? thing : undefined];
  });
}

async function readNamed<Thing>(ask: Ask, { kind, readOne }: SeveralReading<Thing>, id: string): Promise<Entry<Thing>> {
  const thing = await orAbsent(readOne(ask, id));
  if (thing === undefined) throw badAnswer(`${kind} ${id} is in a list, but does not exist`);
  return [id, thing === 'relinked' ? undefined : thing];
}

function chunked<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}

/**
 * How catalogues are kept (docs/adr/0015): a whole one now and then, and in between what changed against the one before.
 *
 *     whole ◀── delta ◀── delta ◀── delta        whole ◀── delta …
 *
 * Each names the one it builds on, and the digest of the catalogue that comes out. What was altered, or lost a link, does
 * not come out at all: a snapshot is never rebuilt into a catalogue that nobody saw.
 */
import { createHash } from 'node:crypto';
import type { CatalogueState } from '../catalogue.js';
import { readCatalogue, serialiseCatalogue } from '../detection/catalogue-record.js';
import { JsonReader, UnreadableRecordError } from '../detection/json-reading.js';
import {
  applyDelta,
  DeltaMismatch,
  deltaBetween,
  type EntityDelta,
  inIdOrder,
  type StoredEntity,
  sameValue,
} from './catalogue-delta.js';

/** A kept snapshot, as it is stored. */
export interface SnapshotLink {
  readonly id: string;
  readonly observedAt: Date;
  /** The one that it builds on; null for a whole one. */
  readonly baseId: string | null;
  /** SHA-256 of the catalogue. */
  readonly digest: Uint8Array;
  readonly content: unknown;
}

export type Rebuilt =
  | { readonly kind: 'whole'; readonly catalogue: CatalogueState }
  | { readonly kind: 'broken'; readonly broken: BrokenLink };

export interface BrokenLink {
  readonly snapshotId: string;
  /** `missing`: what it builds on is not there. `altered`: it does not yield the catalogue that was seen. */
  readonly reason: 'missing' | 'altered';
}

/** No chain spans a longer time: retention keeps a snapshot for so long beyond its time, for those that build on it. */
export const LONGEST_CHAIN_MS = 7 * 24 * 3_600_000;

/** A catalogue is rebuilt from so many at the most. */
export const MOST_LINKS = 20;

/** A delta that is nearly as large as the whole spares nothing. */
const WORTHWHILE_PART = 0.5;

/** @param chain from the snapshot that is asked for back to the whole one that it builds on. */
export function rebuild(chain: readonly SnapshotLink[]): Rebuilt {
  const rebuilt = rebuildStored(chain);
  return rebuilt.kind === 'whole' ? { kind: 'whole', catalogue: catalogueOf(rebuilt.stored) } : rebuilt;
}

type RebuiltStored =
  | { readonly kind: 'whole'; readonly stored: StoredEntity }
  | { readonly kind: 'broken'; readonly broken: BrokenLink };

function rebuildStored(chain: readonly SnapshotLink[]): RebuiltStored {
  const oldestFirst = chain.toReversed();
  const [first] = oldestFirst;
  if (first === undefined) throw new RangeError('a chain has at least one link');
  if (first.baseId !== null) return { kind: 'broken', broken: { snapshotId: first.id, reason: 'missing' } };
  const stored = followed(oldestFirst);
  if (stored !== null) return { kind: 'whole', stored };
  // The digest of the last one says that something is wrong; those before it, where.
  const wrong = oldestFirst.findIndex((_, index) => followed(oldestFirst.slice(0, index + 1)) === null);
  const { id: snapshotId } = oldestFirst.at(wrong) ?? first;
  return { kind: 'broken', broken: { snapshotId, reason: 'altered' } };
}

/** Null where the links do not yield what the digest of the last one says. */
function followed(oldestFirst: readonly SnapshotLink[]): StoredEntity | null {
  const [whole, ...deltas] = oldestFirst.map(({ content }) => new JsonReader(content, 'snapshot'));
  try {
    const stored = deltas.reduce(
      (base, delta) => applyDelta(base, delta.at('delta').json() as EntityDelta),
      whole?.at('catalogue').json() as StoredEntity,
    );
    const normal = storedForm(catalogueOf(stored));
    return digestOf(normal).equals(oldestFirst.at(-1)?.digest ?? Buffer.alloc(0)) ? normal : null;
  } catch (error) {
    // A value of the wrong form throws a TypeError somewhere on the way.
    if (error instanceof DeltaMismatch || error instanceof UnreadableRecordError || error instanceof TypeError)
      return null;
    throw error;
  }
}

export interface EncodedSnapshot {
  readonly baseId: string | null;
  readonly digest: Buffer;
  readonly content: StoredEntity;
  /** The chain before it, which could not be rebuilt; it begins a new one. */
  readonly broken: BrokenLink | null;
}

/**
 * A catalogue as it is to be kept.
 *
 * @param chain of the artist's last kept catalogue, newest first; empty where there is none.
 */
export function encodeSnapshot(
  catalogue: CatalogueState,
  observedAt: Date,
  chain: readonly SnapshotLink[],
): EncodedSnapshot {
  const stored = storedForm(catalogue);
  const digest = digestOf(stored);
  const whole = { baseId: null, digest, content: { catalogue: stored } } as const;
  const [last] = chain;
  if (last === undefined) return { ...whole, broken: null };
  const before = rebuildStored(chain);
  if (before.kind === 'broken') {
    const { snapshotId, reason } = before.broken;
    return { ...whole, content: { ...whole.content, follows: { snapshotId, reason } }, broken: before.broken };
  }
  if (isWholeDue(chain, observedAt)) return { ...whole, broken: null };

  const delta = deltaBetween(before.stored, stored);
  const isWorthwhile = JSON.stringify(delta).length < JSON.stringify(stored).length * WORTHWHILE_PART;
  // Lists that hold an id twice have no delta.
  if (!isWorthwhile || !sameValue(applyDelta(before.stored, delta), stored)) {
    return { ...whole, broken: null };
  }
  return { baseId: last.id, digest, content: { delta: JSON.parse(JSON.stringify(delta)) }, broken: null };
}

function isWholeDue(chain: readonly SnapshotLink[], observedAt: Date): boolean {
  const first = chain.at(-1);
  if (first === undefined || chain.length >= MOST_LINKS) return true;
  return observedAt.getTime() - first.observedAt.getTime() >= LONGEST_CHAIN_MS;
}

/** One form for each catalogue, whatever order its lists came in. */
function storedForm(catalogue: CatalogueState): StoredEntity {
  const { artist, releases } = readCatalogue(new JsonReader(serialiseCatalogue(catalogue), 'catalogue'));
  const ordered = inIdOrder(releases).map((release) =>
    release.tracks === undefined ? release : { ...release, tracks: inIdOrder(release.tracks) },
  );
  return serialiseCatalogue({ artist, releases: ordered }) as StoredEntity;
}

function catalogueOf(stored: StoredEntity): CatalogueState {
  return readCatalogue(new JsonReader(stored, 'catalogue'));
}

function digestOf(stored: StoredEntity): Buffer {
  return createHash('sha256').update(JSON.stringify(stored)).digest();
}

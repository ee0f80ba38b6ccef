import { createHash } from 'node:crypto';
import { z } from 'zod';
import { known } from './known.js';
import { incompleteList, isNotFound } from './port.js';

export interface ListPage<Item> {
  /** Null items count toward the total. */
  readonly items: readonly (Item | null)[];
  readonly total: number;
  readonly next?: number | undefined;
}

export interface WholeList<Item> {
  readonly items: readonly Item[];
  /** The number of null and duplicate entries. */
  readonly unknown: number;
}

export function nextOffset(parameter: 'index' | 'offset') {
  const inQuery = new RegExp(`[?&]${parameter}=(\\d{1,9})(&|$)`);
  const address = z.string().regex(inQuery);
  return known(address.transform((text) => Number(inQuery.exec(text)?.[1])));
}

export interface ListSource<Item, Part = undefined> {
  readonly what: string;
  /** How many matching reads prove that a list is complete if its total is wrong. */
  readonly matchingReads: number;
  idOf(item: Item): string;
  readPage(offset: number, part: Part): Promise<ListPage<Item>>;
  /** The first read covers the whole list. Later reads cover each part separately. */
  readonly parts?: readonly [Part, ...Part[]];
}

/** Half of Spotify's recorded release lists report a wrong total, so two matching reads are enough (docs/adr/0008). */
export const MATCHING_RELEASE_READS = 2;
/**
 * Track lists are short, so two reads can miss the same track by chance. The track would later be reported as added.
 */
export const MATCHING_TRACK_READS = 3;

const MAX_PAGES = 200;

const MAX_LISTS = 20_000;

/**
 * Half of Spotify's lists report a wrong total for months. As long as such a list stays the same, a single read is
 * enough.
 */
export class ListMismatches {
  readonly #shown = new Map<string, { readonly shown: string; readonly readings: number }>();

  note(what: string, shown: string): number {
    const before = this.#shown.get(what);
    const readings = before?.shown === shown ? before.readings + 1 : 1;
    this.#shown.delete(what);
    this.#shown.set(what, { shown, readings });
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MAX_LISTS && oldest !== undefined) this.#shown.delete(oldest);
    return readings;
  }

  forgetUnconfirmed({ what, matchingReads }: { what: string; matchingReads: number }, shown: string): void {
    const before = this.#shown.get(what);
    if (before?.shown !== shown || before.readings < matchingReads) this.forget(what);
  }

  forget(what: string): void {
    this.#shown.delete(what);
  }
}

/**
 * A list is complete if its items match the total, or if `matchingReads` consecutive reads agree. A repeated read must
 * contain all items of the read before it, because a response can be empty or too short and still match its own total.
 * @throws PlatformError; `not_found` only if the first page is not found
 */
export async function readWholeList<Item, Part = undefined>(
  list: ListSource<Item, Part>,
  mismatches: ListMismatches,
): Promise<WholeList<Item>> {
  const results: string[] = [];
  let previous: readonly Item[] = [];
  // If the first read skipped items, the later reads of the parts never match it, so allow one more read.
  const maxReads = list.matchingReads + (list.parts === undefined ? 0 : 1);
  for (let matchesTotal = false; results.length < maxReads || (matchesTotal && results.length === maxReads); ) {
    const reading = await readParts(list, results.length === 0 ? [undefined] : (list.parts ?? [undefined]));
    const { items, places, total } = reading;
    const whole = { items, unknown: places - items.length };
    matchesTotal = total === places;
    if (matchesTotal && whole.unknown === 0 && containsAll(list, items, previous)) {
      mismatches.forget(list.what);
      return whole;
    }
    const digest = digestOf(list, reading);
    // Two reads of the whole list can skip the same items, so only a read of the parts confirms the first read.
    if (list.parts !== undefined && results.length === 0) mismatches.forgetUnconfirmed(list, digest);
    const readings = mismatches.note(list.what, digest);
    // An empty list with a wrong total must not look like an artist without releases.
    if (readings >= list.matchingReads && items.length > 0) return whole;
    results.push(`${items.length} unique items, total ${total}`);
    if (results.length === maxReads && matchesTotal && whole.unknown > 0) return whole;
    previous = items;
  }
  throw incompleteList(`${list.what}: ${results.join('; next read: ')}`);
}

function containsAll<Item>({ idOf }: { idOf(item: Item): string }, items: readonly Item[], wanted: readonly Item[]) {
  const ids = new Set(items.map(idOf));
  return wanted.every((item) => ids.has(idOf(item)));
}

interface ReadList<Item> {
  readonly items: readonly Item[];
  readonly places: number;
  readonly total: number | string;
}

async function readParts<Item, Part>(
  list: ListSource<Item, Part>,
  parts: readonly (Part | undefined)[],
): Promise<ReadList<Item>> {
  const read = await Promise.all(parts.map((part) => readOnce(list, part as Part)));
  const items = new Map<string, Item>();
  const totals: (number | string)[] = [];
  let places = 0;
  let sum: number | undefined = 0;
  for (const part of read) {
    for (const item of part.items) items.set(list.idOf(item), item);
    totals.push(part.total);
    places += part.places;
    // The total is text if the pages of a part report different totals.
    sum = sum === undefined || typeof part.total === 'string' ? undefined : sum + part.total;
  }
  return { items: [...items.values()], places, total: sum ?? totals.join(', ') };
}

async function readOnce<Item, Part>(list: ListSource<Item, Part>, part: Part): Promise<ReadList<Item>> {
  const seen = new Map<string, Item>();
  const totals = new Set<number>();
  let [pages, places] = [0, 0];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    if (pages === MAX_PAGES) throw incompleteList(`${list.what}: more than ${MAX_PAGES} pages`);
    const page: ListPage<Item> = await list.readPage(offset, part).catch((error: unknown) => {
      // A missing later page does not mean that the list does not exist.
      const isPageMissing = pages > 0 && isNotFound(error);
      throw isPageMissing
        ? incompleteList(`${list.what}: the page at offset ${offset} is missing`, { cause: error })
        : error;
    });
    if (page.next !== undefined && !(page.next > offset)) {
      throw incompleteList(`${list.what}: the page at offset ${offset} gives ${page.next} as the next offset`);
    }
    const shown = page.items.filter((item) => item !== null);
    if (shown.length > 1 && shown.every((item) => seen.has(list.idOf(item)))) {
      throw incompleteList(`${list.what}: the page at offset ${offset} contains only items of earlier pages`);
    }
    for (const item of shown) seen.set(list.idOf(item), item);
    places += page.items.length;
    totals.add(page.total);
    pages += 1;
    offset = page.next;
  }
  const [total = 0] = totals;
  return { items: [...seen.values()], places, total: totals.size === 1 ? total : [...totals].join(' and ') };
}

function digestOf<Item, Part>({ idOf }: ListSource<Item, Part>, { items, total }: ReadList<Item>): string {
  const shown = `${items.map(idOf).sort().join(' ')} of ${total}`;
  return createHash('sha256').update(shown).digest('base64url');
}

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { known } from './known.js';
import { incompleteList, isNotFound } from './platform-error.js';

export interface ListPage<Item> {
  /** Null items count toward the total. */
  readonly items: readonly (Item | null)[];
  /** How many items the platform says that the list has. */
  readonly total: number;
  /** Where the platform says that the next page begins; undefined on the last one. */
  readonly next?: number | undefined;
}

export interface WholeList<Item> {
  /** No id twice. */
  readonly items: readonly Item[];
  /** Places of the list that are null or repeat an item. */
  readonly unknown: number;
}

/** The offset in a page's address of the next one, a query parameter of this name. */
export function nextOffset(parameter: 'index' | 'offset') {
  const inQuery = new RegExp(`[?&]${parameter}=(\\d{1,9})(&|$)`);
  const address = z.string().regex(inQuery);
  return known(address.transform((text) => Number(inQuery.exec(text)?.[1])));
}

export interface ListReading<Item, Part = undefined> {
  /** What the list is, for the reason of an incomplete reading: `the releases of artist 27`. */
  readonly what: string;
  /** How many readings in a row must show the same where the total is not the number of items. */
  readonly agreeing: number;
  idOf(item: Item): string;
  readPage(offset: number, part: Part): Promise<ListPage<Item>>;
  /** Parts of the list. Every reading after the first reads each part separately. */
  readonly parts?: readonly [Part, ...Part[]];
}

/** Recorded lists of releases lie about their total, half of them at Spotify; a second reading that agrees is enough. */
export const RELEASES_AGREEING = 2;
/**
 * No recorded list of tracks does. Tracks lists are many and short, so two readings now and then lack the same track by
 * chance, and a track that a baseline lacks would be reported as added.
 */
export const TRACKS_AGREEING = 3;

/** A platform that names one next page after another must not set off requests without end. */
const MOST_PAGES = 200;

/** A digest of some 30 characters is kept of each list. */
const MOST_LISTS = 20_000;

/**
 * What the last reading of a list showed that does not add up. Half of Spotify's lists name a total that is not the
 * number of their items, month after month; a list that shows the same as last time need not be read again.
 *
 * Kept in this process alone: where it is not known, a list is read again once.
 */
export class KnownDisagreements {
  readonly #shown = new Map<string, { readonly shown: string; readonly readings: number }>();

  /** Remembers what a reading showed, and returns how many in a row have shown the same, this one included. */
  note(what: string, shown: string): number {
    const before = this.#shown.get(what);
    const readings = before?.shown === shown ? before.readings + 1 : 1;
    this.#shown.delete(what);
    this.#shown.set(what, { shown, readings });
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MOST_LISTS && oldest !== undefined) this.#shown.delete(oldest);
    return readings;
  }

  forget(what: string): void {
    this.#shown.delete(what);
  }
}

/**
 * Reads a whole list, page after page as far as the platform names a next one. It is the whole list when there are as
 * many different items as each page's total says; or else when `agreeing` readings in a row, those of earlier calls
 * included, show the same ids and totals. A platform's total may lie (Spotify: 64 items and a total of 77), but a page that
 * lost an item loses another one the next time. Null and repeated places are unknown items; the last reading may
 * count them toward the total.
 *
 * @throws PlatformError; `not_found` only when the first page says so.
 */
export async function readWholeList<Item, Part = undefined>(
  list: ListReading<Item, Part>,
  disagreements: KnownDisagreements,
): Promise<WholeList<Item>> {
  const described: string[] = [];
  // A first reading that skips items agrees with no reading of the parts. Allow two of those.
  const most = list.agreeing + (list.parts === undefined ? 0 : 1);
  while (described.length < most) {
    const reading = await readParts(list, described.length === 0 ? [undefined] : (list.parts ?? [undefined]));
    const { items, places, total } = reading;
    const whole = { items, unknown: places - items.length };
    if (total === places && whole.unknown === 0) {
      disagreements.forget(list.what);
      return whole;
    }
    const readings = disagreements.note(list.what, digestOf(list, reading));
    // An artist who has lost everything and one whose list is not shown look the same: only the total tells them apart.
    if (readings >= list.agreeing && items.length > 0) return whole;
    described.push(`${items.length} different items and a total of ${total}`);
    if (described.length === most && total === places) return whole;
  }
  throw incompleteList(`${list.what}: ${described.join(', and read again ')}`);
}

interface ReadList<Item> {
  readonly items: readonly Item[];
  /** How many items the pages have, null and repeated ones included. */
  readonly places: number;
  /** As the pages say; each of them where they differ. */
  readonly total: number | string;
}

async function readParts<Item, Part>(
  list: ListReading<Item, Part>,
  parts: readonly (Part | undefined)[],
): Promise<ReadList<Item>> {
  const read = await Promise.all(parts.map((part) => readOnce(list, part as Part)));
  const items = new Map(read.flatMap((one) => one.items).map((item) => [list.idOf(item), item]));
  const totals = read.map(({ total }) => total);
  const add = (sum: number, one: number) => sum + one;
  return {
    items: [...items.values()],
    places: read.map(({ places }) => places).reduce(add, 0),
    total: totals.every((total) => typeof total === 'number') ? totals.reduce(add, 0) : totals.join(', '),
  };
}

async function readOnce<Item, Part>(list: ListReading<Item, Part>, part: Part): Promise<ReadList<Item>> {
  const seen = new Map<string, Item>();
  const totals = new Set<number>();
  let [pages, places] = [0, 0];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    if (pages === MOST_PAGES) throw incompleteList(`${list.what}: more than ${MOST_PAGES} pages`);
    const page: ListPage<Item> = await list.readPage(offset, part).catch((error: unknown) => {
      // The list exists, its first page has shown it.
      const isPageMissing = pages > 0 && isNotFound(error);
      throw isPageMissing ? incompleteList(`${list.what}: no page at ${offset}`, { cause: error }) : error;
    });
    if (page.next !== undefined && !(page.next > offset)) {
      throw incompleteList(`${list.what}: after the page at ${offset} comes one at ${page.next}`);
    }
    const shown = page.items.filter((item) => item !== null);
    if (shown.length > 1 && shown.every((item) => seen.has(list.idOf(item)))) {
      throw incompleteList(`${list.what}: the page at ${offset} shows nothing but items of earlier pages`);
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

function digestOf<Item, Part>({ idOf }: ListReading<Item, Part>, { items, total }: ReadList<Item>): string {
  const shown = `${items.map(idOf).sort().join(' ')} of ${total}`;
  return createHash('sha256').update(shown).digest('base64url');
}

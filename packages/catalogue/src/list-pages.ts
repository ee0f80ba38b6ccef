import { createHash } from 'node:crypto';
import { z } from 'zod';
import { known } from './known.js';
import { badAnswer, isNotFound } from './platform-error.js';

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** How many items the platform says that the list has. */
  readonly total: number;
  /** Where the platform says that the next page begins; undefined on the last one. */
  readonly next?: number | undefined;
}

/** The offset in a page's address of the next one, a query parameter of this name. */
export function nextOffset(parameter: 'index' | 'offset') {
  const inQuery = new RegExp(`[?&]${parameter}=(\\d{1,9})(&|$)`);
  const address = z.string().regex(inQuery);
  return known(address.transform((text) => Number(inQuery.exec(text)?.[1])));
}

export interface ListReading<Item> {
  /** What the list is, for the reason of an incomplete reading: `the releases of artist 27`. */
  readonly what: string;
  /** How many readings in a row must show the same where the total is not the number of items. */
  readonly agreeing: number;
  idOf(item: Item): string;
  readPage(offset: number): Promise<ListPage<Item>>;
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
 * included, show the same ids and totals, and no item twice. A platform's total may lie (Spotify: 64 items and a total of
 * 77), but a page that lost an item loses another one the next time.
 *
 * @throws PlatformError; `not_found` only when the first page says so.
 */
export async function readWholeList<Item>(list: ListReading<Item>, disagreements: KnownDisagreements): Promise<Item[]> {
  const described: string[] = [];
  while (described.length < list.agreeing) {
    const reading = await readOnce(list);
    if (isWhole(list, reading, disagreements)) return reading.items;
    described.push(describe(reading));
  }
  throw badAnswer(`${list.what}: ${described.join(', and read again ')}`);
}

interface ReadList<Item> {
  readonly items: Item[];
  /** Of each page. */
  readonly totals: readonly number[];
  /** An item came twice: a page stands in the place of another, or the list has moved between two pages. */
  readonly hasRepeats: boolean;
}

async function readOnce<Item>(list: ListReading<Item>): Promise<ReadList<Item>> {
  const items = new Map<string, Item>();
  const totals: number[] = [];
  let count = 0;
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    if (totals.length === MOST_PAGES) throw badAnswer(`${list.what}: more than ${MOST_PAGES} pages`);
    const page: ListPage<Item> = await list.readPage(offset).catch((error: unknown) => {
      // The list exists, its first page has shown it.
      const isPageMissing = totals.length > 0 && isNotFound(error);
      throw isPageMissing ? badAnswer(`${list.what}: no page at ${offset}`, { cause: error }) : error;
    });
    if (page.next !== undefined && !(page.next > offset)) {
      throw badAnswer(`${list.what}: after the page at ${offset} comes one at ${page.next}`);
    }
    for (const item of page.items) items.set(list.idOf(item), item);
    count += page.items.length;
    totals.push(page.total);
    offset = page.next;
  }
  return { items: [...items.values()], totals, hasRepeats: items.size < count };
}

function isWhole<Item>(
  { what, agreeing, idOf }: ListReading<Item>,
  { items, totals, hasRepeats }: ReadList<Item>,
  disagreements: KnownDisagreements,
): boolean {
  if (totals.every((total) => total === items.length)) {
    disagreements.forget(what);
    return true;
  }
  const shown = createHash('sha256').update(`${items.map(idOf).sort().join(' ')} of ${totals.join(' ')}`);
  const readings = disagreements.note(what, shown.digest('base64url'));
  // An artist who has lost everything and one whose list is not shown look the same: only the total tells them apart.
  return readings >= agreeing && items.length > 0 && !hasRepeats;
}

function describe({ items, totals }: ReadList<unknown>): string {
  return `${items.length} different items and a total of ${[...new Set(totals)].join(' and ')}`;
}

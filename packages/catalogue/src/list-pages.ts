import { badAnswer, isNotFound } from './platform-error.js';

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export interface ListReading<Item> {
  /** What the list is, for the reason of an incomplete reading: `the releases of artist 27`. */
  readonly what: string;
  /** How many items to ask for at once; the platform may send fewer. */
  readonly pageSize: number;
  idOf(item: Item): string;
  readPage(offset: number, limit: number): Promise<ListPage<Item>>;
}

/** More than any artist has: a garbled total must not set off thousands of requests. */
const MOST_ITEMS = 20_000;

/**
 * Reads a whole list, all pages after the first at once. What comes back is the list only when every page names the
 * same total and there are just so many different items: a list that is short by one looks just like one from which
 * something was removed. One that does not add up is read once more, since a release may have come between two pages.
 *
 * @throws PlatformError; `not_found` only when the first page says so.
 */
export async function readWholeList<Item>(list: ListReading<Item>): Promise<Item[]> {
  const first = await readOnce(list);
  const last = typeof first === 'string' ? await readOnce(list) : first;
  if (typeof last === 'string') throw badAnswer(`${list.what}: ${last}`);
  return last;
}

/** The list, or what does not add up in it. */
async function readOnce<Item>(list: ListReading<Item>): Promise<Item[] | string> {
  const first = await list.readPage(0, list.pageSize);
  const { total } = first;
  if (total > MOST_ITEMS) return `a total of ${total}`;
  if (first.items.length === 0 && total > 0) return `an empty page and a total of ${total}`;

  // A platform that caps its pages sends fewer than were asked for, and goes on where its own page ended.
  const step = first.items.length;
  const offsets: number[] = [];
  for (let offset = step; offset < total; offset += step) offsets.push(offset);
  const rest = await Promise.all(offsets.map((offset) => readLaterPage(list, offset, step)));

  const items = new Map<string, Item>();
  for (const page of [first, ...rest]) {
    if (page.total !== total) return `totals of ${total} and ${page.total}`;
    for (const item of page.items) items.set(list.idOf(item), item);
  }
  return items.size === total ? [...items.values()] : `${items.size} different items and a total of ${total}`;
}

async function readLaterPage<Item>(list: ListReading<Item>, offset: number, limit: number): Promise<ListPage<Item>> {
  try {
    return await list.readPage(offset, limit);
  } catch (error) {
    // The list exists, its first page has shown it.
    if (isNotFound(error)) throw badAnswer(`${list.what}: no page at ${offset}`, { cause: error });
    throw error;
  }
}

import { integer } from '@artist-watch/runtime/settings/settings';
import { Option } from 'commander';
import { parsedAs } from './option-values.js';
import type { Shown } from './text.js';

const PAGE_ROWS = 500;

/** `--limit`: the newest so many; all of them unless given. */
export function limitOption(): Option {
  return new Option('--limit <count>', 'the newest so many; all unless given').argParser(
    parsedAs(integer({ min: 1, max: 1_000_000_000 })),
  );
}

/**
 * Reads a list page by page, each from where the one before ended, so that a list of any length takes little memory.
 *
 * @param read up to `pageLimit` rows that come after `last`.
 */
export async function* pages<Row>(
  limit: number | undefined,
  present: (row: Row) => Shown,
  read: (last: Row | undefined, pageLimit: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Shown[]> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let last: Row | undefined;
  while (left > 0) {
    const pageLimit = Math.min(left, PAGE_ROWS);
    const rows = await read(last, pageLimit);
    yield rows.map(present);
    if (rows.length < pageLimit) return;
    last = rows.at(-1);
    left -= rows.length;
  }
}

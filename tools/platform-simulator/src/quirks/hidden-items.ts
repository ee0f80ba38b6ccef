import { SeededRandom } from '../seeded-random.js';
import type { QuirkDice } from './quirk-dice.js';

/** The places of a list; undefined for what the platform counts and does not show. */
export type Places<Item> = readonly (Item | undefined)[];

/** @param path of the list, by which it is the same from one request to the next. */
export function withHiddenItems<Item>(dice: QuirkDice, path: string, items: readonly Item[]): Places<Item> {
  const quirk = dice.strikeHeld('hiddenItems', path, path);
  if (!quirk || items.length === 0) return items;
  const random = new SeededRandom(path);
  const places: (Item | undefined)[] = [...items];
  for (let n = 0; n < quirk.count; n++) places.splice(random.integer(0, places.length), 0, undefined);
  return places;
}

/** What a page shows of them. */
export function shownOf<Item, Shown>(places: Places<Item>, show: (item: Item) => Shown): Shown[] {
  return places.filter((item) => item !== undefined).map((item) => show(item as Item));
}

import { draw, SeededRandom } from '../seeded-random.js';
import type { QuirkName, Quirks } from './quirks.js';

export type QuirkSettings<Name extends QuirkName> = NonNullable<Quirks[Name]>;

/**
 * Decides which quirk strikes. The decision depends on the seed, the quirk, the path, and how often this path was asked
 * for: requests that overtake each other do not change it.
 */
export class QuirkDice {
  readonly #seed: string;
  #quirks: Quirks = {};
  readonly #strikes = new Map<QuirkName, number>();

  constructor(seed: string) {
    this.#seed = seed;
  }

  get quirks(): Quirks {
    return this.#quirks;
  }

  /** Replaces all quirks: what is not named is off. */
  set quirks(quirks: Quirks) {
    this.#quirks = quirks;
    this.#strikes.clear();
  }

  /** The quirk's settings when it strikes this request, else undefined. */
  strike<Name extends QuirkName>(name: Name, request: AskedPath): QuirkSettings<Name> | undefined {
    return this.#strike(name, request.path, [request.path, request.ordinal]);
  }

  /** As `strike`, but one draw holds for everything that happens under the same key, such as a span of time. */
  strikeHeld<Name extends QuirkName>(name: Name, path: string, key: string): QuirkSettings<Name> | undefined {
    return this.#strike(name, path, [key]);
  }

  /** Random numbers for what a quirk does to this request. */
  random(name: QuirkName, request: AskedPath): SeededRandom {
    return new SeededRandom(this.#seed, name, 'effect', request.path, request.ordinal);
  }

  #strike<Name extends QuirkName>(
    name: Name,
    path: string,
    key: readonly (string | number)[],
  ): QuirkSettings<Name> | undefined {
    const settings = this.#quirks[name];
    if (!settings || settings.probability === 0) return undefined;
    if (settings.paths !== undefined && !new RegExp(settings.paths).test(path)) return undefined;
    const strikes = this.#strikes.get(name) ?? 0;
    if (settings.times !== undefined && strikes >= settings.times) return undefined;
    if (draw(this.#seed, name, ...key) >= settings.probability) return undefined;
    this.#strikes.set(name, strikes + 1);
    return settings as QuirkSettings<Name>;
  }
}

/** A path with its query, and the how-manieth request for it this is, from 1. */
export interface AskedPath {
  readonly path: string;
  readonly ordinal: number;
}

/** The places of a list; undefined for what the platform counts and does not show. */
export type Places<Item> = readonly (Item | undefined)[];

/** @param path of the list, by which it is the same from one request to the next. */
export function withHiddenItems<Item>(dice: QuirkDice, path: string, items: readonly Item[]): Places<Item> {
  const quirk = dice.strikeHeld('hiddenItems', path, path);
  const random = new SeededRandom(path);
  const twice = items.length > 0 && dice.strikeHeld('repeatedItem', path, path);
  const places: (Item | undefined)[] = twice ? withOneAgain(items, random) : [...items];
  if (!quirk || items.length === 0) return places;
  for (let n = 0; n < quirk.count; n++) places.splice(random.integer(0, places.length), 0, undefined);
  return places;
}

function withOneAgain<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const place = random.integer(0, items.length - 1);
  return items.toSpliced(place, 0, items[place] as Item);
}

/** What a page shows of them. */
export function shownOf<Item, Shown>(places: Places<Item>, show: (item: Item) => Shown): Shown[] {
  return places.filter((item) => item !== undefined).map((item) => show(item as Item));
}

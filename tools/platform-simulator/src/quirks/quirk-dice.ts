import { draw, SeededRandom } from '../seeded-random.js';
import type { QuirkName, Quirks } from './quirks.js';

export type QuirkSettings<Name extends QuirkName> = NonNullable<Quirks[Name]>;

/** Quirks depend on the seed and on earlier requests for the same path, but not on requests for any other path. */
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

  /** Quirks that are omitted are off. */
  set quirks(quirks: Quirks) {
    this.#quirks = quirks;
    this.#strikes.clear();
  }

  strike<Name extends QuirkName>(name: Name, request: RequestedPath): QuirkSettings<Name> | undefined {
    return this.#strike(name, request.path, [request.path, request.ordinal]);
  }

  /** Draws once per key, such as a path or an id, so that all requests with that key get the same result. */
  strikeForKey<Name extends QuirkName>(name: Name, path: string, key: string): QuirkSettings<Name> | undefined {
    return this.#strike(name, path, [key]);
  }

  random(name: QuirkName, request: RequestedPath): SeededRandom {
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

/** `ordinal` counts the requests for this path and query, starting at 1. */
export interface RequestedPath {
  readonly path: string;
  readonly ordinal: number;
}

/** Hidden items are undefined, but still count toward the total. */
export type Places<Item> = readonly (Item | undefined)[];

/** The hidden and repeated items are the same for every request for the list. */
export function withHiddenItems<Item>(dice: QuirkDice, path: string, items: readonly Item[]): Places<Item> {
  const quirk = dice.strikeForKey('hiddenItems', path, path);
  const random = new SeededRandom(path);
  const isRepeated = items.length > 0 && dice.strikeForKey('repeatedItem', path, path);
  const places: (Item | undefined)[] = isRepeated ? repeatOne(items, random) : [...items];
  if (!quirk || items.length === 0) return places;
  for (let n = 0; n < quirk.count; n++) places.splice(random.integer(0, places.length), 0, undefined);
  return places;
}

function repeatOne<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const place = random.integer(0, items.length - 1);
  return items.toSpliced(place, 0, items[place] as Item);
}

export function showItems<Item, Shown>(places: Places<Item>, show: (item: Item) => Shown): Shown[] {
  return places.filter((item) => item !== undefined).map((item) => show(item as Item));
}

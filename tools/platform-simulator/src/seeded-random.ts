import { createHash } from 'node:crypto';

/** Uses mulberry32, because the same seed must produce the same numbers on every machine. */
export class SeededRandom {
  #state: number;

  constructor(...seed: readonly (string | number)[]) {
    this.#state = digest(seed).readUInt32BE(0);
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `min` to `max`, inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError('Cannot pick from an empty list.');
    return item;
  }
}

/** Returns a number in [0, 1) that depends only on the key. */
export function draw(...key: readonly (string | number)[]): number {
  return digest(key).readUInt32BE(0) / 2 ** 32;
}

function digest(key: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(key.join('\u0000')).digest();
}

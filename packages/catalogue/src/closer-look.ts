import pLimit from 'p-limit';
import { PlatformError } from './platform-error.js';

/** More of them would only wait for each other: the requests of a reading are bounded as well. */
const PARTS_AT_ONCE = 4;

/** After so many parts in a row that could not be read, the platform is left alone for this reading. */
const MOST_FAILURES_IN_A_ROW = 5;

/**
 * The parts of a reading beyond the list, each of which counts by itself: one that could not be read whole stays unknown,
 * as where nobody had asked for it, and neither the list nor the other parts suffer.
 */
export class CloserLook {
  readonly #atOnce = pLimit(PARTS_AT_ONCE);
  #failuresInARow = 0;

  /** What `read` makes of each part; undefined where the platform gives no usable answer, or has failed too often. */
  parts<Key, Part>(keys: readonly Key[], read: (key: Key) => Promise<Part>): Promise<(Part | undefined)[]> {
    return this.#atOnce.map(keys, (key) => this.#part(() => read(key)));
  }

  async #part<Part>(read: () => Promise<Part>): Promise<Part | undefined> {
    if (this.#failuresInARow >= MOST_FAILURES_IN_A_ROW) return undefined;
    try {
      const part = await read();
      this.#failuresInARow = 0;
      return part;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // A spent quota does not come back within this reading.
      this.#failuresInARow += error.failure.kind === 'quota' ? MOST_FAILURES_IN_A_ROW : 1;
      return undefined;
    }
  }
}

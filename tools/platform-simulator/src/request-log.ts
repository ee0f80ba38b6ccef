/** Counts the requests by path and query, so that a test can show what was asked and how often. */
export class RequestLog {
  #total = 0;
  readonly #byPath = new Map<string, number>();

  /** Answers the how-manieth request for this path it is, from 1. */
  record(path: string): number {
    this.#total++;
    const ordinal = (this.#byPath.get(path) ?? 0) + 1;
    this.#byPath.set(path, ordinal);
    return ordinal;
  }

  clear(): void {
    this.#total = 0;
    this.#byPath.clear();
  }

  counts(): { readonly total: number; readonly byPath: Record<string, number> } {
    return { total: this.#total, byPath: Object.fromEntries(this.#byPath) };
  }
}

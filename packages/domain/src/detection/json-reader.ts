import type { JsonValue } from '../change/difference.js';

/** Unreadable data must never be treated as empty. Instead, this error stops the processing of the artist. */
export class UnreadableRecordError extends Error {
  constructor(path: string, expected: string) {
    super(`${path} is not ${expected}`);
    this.name = 'UnreadableRecordError';
  }
}

export class JsonReader {
  readonly #value: unknown;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    this.#value = value;
    this.#path = path;
  }

  at(name: string): JsonReader {
    const value = this.#value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.#refuse('an object');
    const own = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    return new JsonReader(own, `${this.#path}.${name}`);
  }

  text(): string {
    return typeof this.#value === 'string' ? this.#value : this.#refuse('a string');
  }

  number(): number {
    return typeof this.#value === 'number' ? this.#value : this.#refuse('a number');
  }

  flag(): boolean {
    return typeof this.#value === 'boolean' ? this.#value : this.#refuse('a boolean');
  }

  oneOf<Value extends string>(values: readonly Value[]): Value {
    const found = values.find((value) => value === this.#value);
    return found ?? this.#refuse(`one of ${values.join(', ')}`);
  }

  instant(): Date {
    const instant = new Date(this.text());
    return Number.isNaN(instant.getTime()) ? this.#refuse('an instant') : instant;
  }

  list<Item>(read: (item: JsonReader) => Item): Item[] {
    const value = this.#value;
    if (!Array.isArray(value)) this.#refuse('an array');
    return value.map((item, index) => read(new JsonReader(item, `${this.#path}[${index}]`)));
  }

  nonEmptyList<Item>(read: (item: JsonReader) => Item): [Item, ...Item[]] {
    const [first, ...rest] = this.list(read);
    return first === undefined ? this.#refuse('a non-empty array') : [first, ...rest];
  }

  /** Returns undefined for null, because both mean unknown. */
  maybe(): JsonReader | undefined {
    return this.#value === undefined || this.#value === null ? undefined : this;
  }

  json(): JsonValue {
    return this.#value === undefined ? null : (this.#value as JsonValue);
  }

  #refuse(expected: string): never {
    throw new UnreadableRecordError(this.#path, expected);
  }
}

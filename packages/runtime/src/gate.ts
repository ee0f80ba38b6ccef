/** Nobody was let in: too many waited already, or the wait took too long. The same request may succeed soon. */
export class GateFull extends Error {
  override readonly name = 'GateFull';

  constructor() {
    super('Too many wait for the same thing, or one has waited too long.');
  }
}

export interface GateOptions {
  /** How many are inside at once. */
  readonly places: number;
  /** How many may wait; one more is refused at once. */
  readonly maxWaiting: number;
  /** How long one may wait, in milliseconds. */
  readonly maxWaitMs: number;
}

/** Lets a few in at once, in the order in which they came, and bounds who waits. */
export class Gate {
  readonly #options: GateOptions;
  #inside = 0;
  readonly #waiting = new Set<() => void>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#inside === 0;
  }

  /** @throws GateFull before `work` begins. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inside < this.#options.places) this.#inside += 1;
    else await this.#wait();
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      // The next one takes the place over.
      if (next) next();
      else this.#inside -= 1;
    }
  }

  #wait(): Promise<void> {
    const { maxWaiting, maxWaitMs } = this.#options;
    if (this.#waiting.size >= maxWaiting) throw new GateFull();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(patience);
        this.#waiting.delete(enter);
      };
      const enter = () => {
        leave();
        resolve();
      };
      const patience = setTimeout(() => {
        leave();
        reject(new GateFull());
      }, maxWaitMs);
      this.#waiting.add(enter);
    });
  }
}

/** A gate for each name, made when it is asked for and forgotten when nobody is left in it. */
export class Gates {
  readonly #options: GateOptions;
  readonly #gates = new Map<string, Gate>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** @throws GateFull before `work` begins. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const gate = this.#gates.get(name) ?? new Gate(this.#options);
    this.#gates.set(name, gate);
    try {
      return await gate.run(work);
    } finally {
      if (gate.isEmpty) this.#gates.delete(name);
    }
  }
}

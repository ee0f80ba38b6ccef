/** Thrown if too many callers were waiting, or if the caller waited too long. */
export class GateFull extends Error {
  override readonly name = 'GateFull';

  constructor() {
    super('Too many callers are waiting, or this caller waited too long.');
  }
}

export interface GateOptions {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Limits how much work runs at the same time. Callers beyond the limit wait in order of arrival. */
export class Gate {
  readonly #options: GateOptions;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#running === 0;
  }

  /** @throws GateFull if the work was not started. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#options.maxRunning) this.#running += 1;
    else await this.#wait();
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      // The next caller takes over this slot, so `#running` stays the same.
      if (next) next();
      else this.#running -= 1;
    }
  }

  #wait(): Promise<void> {
    const { maxWaiting, maxWaitMs } = this.#options;
    if (this.#waiting.size >= maxWaiting) throw new GateFull();
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timeout);
        this.#waiting.delete(start);
      };
      const start = () => {
        stopWaiting();
        resolve();
      };
      const timeout = setTimeout(() => {
        stopWaiting();
        reject(new GateFull());
      }, maxWaitMs);
      this.#waiting.add(start);
    });
  }
}

export class Gates {
  readonly #options: GateOptions;
  readonly #gates = new Map<string, Gate>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** @throws GateFull if the work was not started. */
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

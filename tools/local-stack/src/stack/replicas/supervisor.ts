import type { ProcessExit } from '../../processes/server-process.js';

/** A part of the stack that can end unasked. */
export interface Supervised {
  readonly pid: number;
  onUnexpectedExit(listener: (exit: ProcessExit) => void): void;
  /** Resolves when it is back. */
  restart(): Promise<void>;
}

export interface SupervisorOptions {
  readonly restart: boolean;
  readonly report: (line: string) => void;
}

/** Reports each part that ends unasked and, if it is to, starts it again. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #stopped = false;
  #afterRestart: () => Promise<void> = async () => undefined;
  /** One after the other, so that the newest state is written last. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  watch(name: string, part: Supervised): void {
    part.onUnexpectedExit((exit) => {
      if (this.#stopped) return;
      const { restart, report } = this.#options;
      const how = exit.signal ? `was ended by ${exit.signal}` : `ended with code ${exit.code}`;
      report(`${name} ${how}${restart ? '; starting it again.' : '; it stays down (see --restart).'}`);
      if (restart) void this.#bringBack(name, part);
    });
  }

  /** `write` is called after each restart. */
  onRestarted(write: () => Promise<void>): void {
    this.#afterRestart = write;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #bringBack(name: string, part: Supervised): Promise<void> {
    const { report } = this.#options;
    try {
      await part.restart();
    } catch (error) {
      if (!this.#stopped) report(`${name} could not be started again: ${(error as Error).message}`);
      return;
    }
    if (this.#stopped) return;
    this.#writing = this.#writing.then(() => this.#afterRestart()).catch((error: Error) => report(error.message));
    await this.#writing;
    report(`${name} is back (process ${part.pid}).`);
  }
}

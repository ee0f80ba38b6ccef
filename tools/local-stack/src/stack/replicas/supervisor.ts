import type { ProcessExit } from '../../processes/server-process.js';

export interface Supervised {
  readonly pid: number;
  onUnexpectedExit(listener: (exit: ProcessExit) => void): void;
  restart(): Promise<void>;
}

export interface SupervisorOptions {
  readonly restart: boolean;
  readonly report: (line: string) => void;
}

/** Reports unexpected exits, and restarts the processes if `restart` is set. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #stopped = false;
  #afterRestart: () => Promise<void> = async () => undefined;
  /** Concurrent writes could leave an outdated state in the file. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  watch(name: string, part: Supervised): void {
    part.onUnexpectedExit((exit) => {
      if (this.#stopped) return;
      const { restart, report } = this.#options;
      const how = exit.signal ? `was killed by ${exit.signal}` : `exited with code ${exit.code}`;
      report(`${name} ${how}${restart ? '. Restarting it.' : '. Use --restart to restart processes automatically.'}`);
      if (restart) void this.#restart(name, part);
    });
  }

  onRestarted(write: () => Promise<void>): void {
    this.#afterRestart = write;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #restart(name: string, part: Supervised): Promise<void> {
    const { report } = this.#options;
    try {
      await part.restart();
    } catch (error) {
      if (!this.#stopped) report(`${name} could not be restarted: ${(error as Error).message}`);
      return;
    }
    if (this.#stopped) return;
    this.#writing = this.#writing.then(() => this.#afterRestart()).catch((error: Error) => report(error.message));
    await this.#writing;
    report(`${name} has restarted (process ${part.pid}).`);
  }
}

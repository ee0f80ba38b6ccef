/** Messages that have an id in them are many. */
const REMEMBERED_MESSAGES = 100;

/**
 * Writes trouble down, the same trouble once in a while: what fails at once is tried thousands of times a second.
 *
 * @param write receives how often the same came without a line since the last one.
 * @param everyMs between two lines of the same message; a second unless given.
 */
export function throttled(
  write: (error: unknown, unsaid: number) => void,
  monotonicMs: () => number,
  everyMs = 1_000,
): (error: unknown) => void {
  const said = new Map<string, { readonly atMs: number; unsaid: number }>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const last = said.get(message);
    const nowMs = monotonicMs();
    if (last !== undefined && nowMs - last.atMs < everyMs) {
      last.unsaid += 1;
      return;
    }
    if (said.size >= REMEMBERED_MESSAGES) said.clear();
    said.set(message, { atMs: nowMs, unsaid: 0 });
    write(error, last?.unsaid ?? 0);
  };
}

/** Batches that hold lines. Nobody else would write them when the process ends in the middle of a turn. */
const holding = new Set<LineBatch>();

// Also called at process.exit() and of an exception that nobody catches. A file, a terminal, or a pipe that has room (64 KiB
// on Linux) is written to synchronously; what a full pipe does not take, Node keeps, and process.exit() drops (seen with Node
// 20.20 and 24.21, against https://nodejs.org/docs/latest-v20.x/api/process.html#a-note-on-process-io). A service that is
// told to stop waits for it (runService).
process.on('exit', () => {
  for (const batch of holding) batch.flush();
});

/** A turn that logs more than this is not waited for. */
const MAX_HELD_CHARS = 64 * 1024;

/**
 * Writes the lines of one turn of the event loop in one piece: a busy service answers several requests in a turn, and
 * each write is a system call that the requests behind it wait for.
 *
 * Lines keep their order. None that its reader has room for is lost when the process exits, is told to stop or crashes; one
 * that is killed, or hangs, takes the lines of its last turn with it, so warnings and errors are not held back (`flush`).
 */
export class LineBatch {
  readonly #stream: NodeJS.WritableStream;
  #held = '';

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** @param line without its end. */
  add(line: string): void {
    if (this.#held === '') {
      holding.add(this);
      setImmediate(() => this.flush());
    }
    this.#held += `${line}\n`;
    if (this.#held.length > MAX_HELD_CHARS) this.flush();
  }

  /** Writes what is held now. */
  flush(): void {
    if (this.#held === '') return;
    const text = this.#held;
    this.#held = '';
    holding.delete(this);
    this.#stream.write(text);
  }
}

/** Batches that hold lines. Nobody else would write them when the process ends in the middle of a turn. */
const holding = new Set<LineBatch>();

// Also told of process.exit() and of an exception that nobody catches. Standard output is written synchronously where it
// is a file, a pipe or a terminal (https://nodejs.org/docs/latest-v20.x/api/process.html#a-note-on-process-io).
process.on('exit', () => {
  for (const batch of holding) batch.flush();
});

/** A turn that logs more than this is not waited for. */
const MAX_HELD_CHARS = 64 * 1024;

/**
 * Writes the lines of one turn of the event loop in one piece: a busy service answers several requests in a turn, and
 * each write is a system call that the requests behind it wait for.
 *
 * Lines keep their order. None is lost when the process exits, is told to stop or crashes; one that is killed, or hangs,
 * takes the lines of its last turn with it, so what tells of trouble is not to be held (`flush`).
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

/** Maximum number of remembered messages, which limits the memory. Messages that contain ids are all different. */
const REMEMBERED_MESSAGES = 100;

/**
 * Limits the number of log lines with the same error message, because work that fails immediately may be retried
 * thousands of times per second.
 *
 * @param write receives an error, and the number of errors with the same message that were suppressed since the last
 *   line.
 * @param everyMs the shortest time between two lines with the same message. Default: 1 s.
 */
export function throttled(
  write: (error: unknown, suppressed: number) => void,
  monotonicMs: () => number,
  everyMs = 1_000,
): (error: unknown) => void {
  const written = new Map<string, { readonly atMs: number; suppressed: number }>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const last = written.get(message);
    const nowMs = monotonicMs();
    if (last !== undefined && nowMs - last.atMs < everyMs) {
      last.suppressed += 1;
      return;
    }
    if (written.size >= REMEMBERED_MESSAGES) written.clear();
    written.set(message, { atMs: nowMs, suppressed: 0 });
    write(error, last?.suppressed ?? 0);
  };
}

/** Batches with unwritten lines. They are written if the process exits before their setImmediate callbacks run. */
const unwritten = new Set<LineBatch>();

// This listener also runs at process.exit() and after an uncaught exception. Writes to a file, to a terminal, or to a
// pipe with enough room (64 KiB on Linux) are synchronous. If the pipe is full, Node keeps the rest in memory and
// process.exit() drops it (seen with Node 20.20 and 24.21, contrary to
// https://nodejs.org/docs/latest-v20.x/api/process.html#a-note-on-process-io). At a regular stop, runService waits
// until the rest is written.
process.on('exit', () => {
  for (const batch of unwritten) batch.flush();
});

/** If a batch gets larger than this, it is written immediately. */
const MAX_PENDING_CHARS = 64 * 1024;

/**
 * Writes all lines of one event loop iteration together. A busy service handles several requests per iteration, and
 * each write is a system call that delays the next request.
 *
 * Lines keep their order. If the process exits, stops or crashes, no line is lost as long as the reader has room. If
 * the process is killed or hangs, the lines of the last iteration are lost, so flush warnings and errors immediately.
 */
export class LineBatch {
  readonly #stream: NodeJS.WritableStream;
  #pending = '';

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** @param line has no line break. */
  add(line: string): void {
    if (this.#pending === '') {
      unwritten.add(this);
      setImmediate(this.flush);
    }
    this.#pending += `${line}\n`;
    if (this.#pending.length > MAX_PENDING_CHARS) this.flush();
  }

  /** Writes the pending lines. */
  readonly flush = (): void => {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    unwritten.delete(this);
    this.#stream.write(text);
  };
}

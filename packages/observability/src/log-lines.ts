/** Limits memory, because messages that contain ids are all different. */
const REMEMBERED_MESSAGES = 100;

/** During an outage, loops fail several times a second. */
const SAME_ERROR_INTERVAL_MS = 10_000;

/**
 * Logs the same error message at most once in 10 s.
 * @param write also receives the number of suppressed errors.
 */
export function throttled(
  write: (error: unknown, suppressed: number) => void,
  monotonicMs: () => number,
): (error: unknown) => void {
  const written = new Map<string, { readonly atMs: number; suppressed: number }>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const last = written.get(message);
    const nowMs = monotonicMs();
    if (last !== undefined && nowMs - last.atMs < SAME_ERROR_INTERVAL_MS) {
      last.suppressed += 1;
      return;
    }
    if (written.size >= REMEMBERED_MESSAGES) written.clear();
    written.set(message, { atMs: nowMs, suppressed: 0 });
    write(error, last?.suppressed ?? 0);
  };
}

const unwritten = new Set<LineBatch>();

// process.exit() loses output that a full pipe has not accepted (seen with Node 20.20 and 24.21, contrary to
// https://nodejs.org/docs/latest-v20.x/api/process.html#a-note-on-process-io).
process.on('exit', () => {
  for (const batch of unwritten) batch.flush();
});

const MAX_PENDING_CHARS = 64 * 1024;

/**
 * Writes the lines of an event loop iteration with one system call. A killed process loses them, so flush warnings and
 * errors immediately.
 */
export class LineBatch {
  readonly #stream: NodeJS.WritableStream;
  #pending = '';

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  add(line: string): void {
    if (this.#pending === '') {
      unwritten.add(this);
      setImmediate(this.flush);
    }
    this.#pending += `${line}\n`;
    if (this.#pending.length > MAX_PENDING_CHARS) this.flush();
  }

  readonly flush = (): void => {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    unwritten.delete(this);
    this.#stream.write(text);
  };
}

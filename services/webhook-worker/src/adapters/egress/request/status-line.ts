import { MAX_INFORMATIONAL } from './make-request.js';

/** As Node's parser bounds a head (`--max-http-header-size`). */
const MAX_LINE_CHARS = 16_384;

/**
 * RFC 9112, section 4, for HTTP/1.x. The reason may be empty, and the space before it missing: many servers leave it out.
 */
const STATUS_LINE = /^HTTP\/1\.\d ([1-9]\d\d)(?: .*)?$/;

/**
 * Reads the status of the final response from the bytes of a connection, whatever Node's parser thinks of the headers. Only
 * the status line decides the result of a webhook (docs/reference/webhooks.md). A line can end with a bare LF (RFC 9112,
 * section 2.2).
 */
export class StatusLineReader {
  /** The final status, or 101; undefined before its line is complete, and if this is not HTTP. */
  status: number | undefined;
  /** Whether any byte has arrived. */
  hasBytes = false;
  #line = '';
  #interimCount = 0;
  #state: 'status line' | 'interim headers' | 'done' = 'status line';

  readonly read = (chunk: Buffer): void => {
    this.hasBytes = true;
    for (let from = 0; this.#state !== 'done' && from < chunk.length; ) {
      const end = chunk.indexOf(0x0a, from);
      this.#line += chunk.toString('latin1', from, end === -1 ? Math.min(chunk.length, from + MAX_LINE_CHARS) : end);
      if (this.#line.length > MAX_LINE_CHARS) this.#state = 'done';
      if (end === -1) return;
      this.#endLine(this.#line.replace(/\r$/, ''));
      this.#line = '';
      from = end + 1;
    }
  };

  #endLine(line: string): void {
    if (this.#state === 'interim headers') {
      if (line === '') this.#state = 'status line';
      return;
    }
    // Node's parser also skips empty lines before the status line.
    if (this.#state !== 'status line' || line === '') return;
    const status = Number(STATUS_LINE.exec(line)?.[1]);
    const isInterim = status >= 100 && status < 200 && status !== 101;
    if (isInterim) this.#interimCount += 1;
    this.#state = isInterim && this.#interimCount <= MAX_INFORMATIONAL ? 'interim headers' : 'done';
    if (!isInterim && !Number.isNaN(status)) this.status = status;
  }
}

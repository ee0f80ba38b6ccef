import { MAX_INFORMATIONAL } from './make-request.js';

/** Maximum length of a line. This is also the limit of Node's parser for all headers (`--max-http-header-size`). */
const MAX_LINE_CHARS = 16_384;

/** The status line of HTTP/1.x (RFC 9112, section 4). Many servers omit the reason and the space before it. */
const STATUS_LINE = /^HTTP\/1\.\d ([1-9]\d\d)(?: .*)?$/;

/**
 * Reads the status of the final response from the bytes of a connection, even if Node's parser rejects the headers.
 * Only the status line decides the result of a webhook (docs/reference/webhooks.md). A line may end with only LF (RFC
 * 9112, section 2.2).
 */
export class StatusLineReader {
  /**
   * The status of the final response, or 101. Undefined until the status line is complete, and if the bytes are not
   * HTTP.
   */
  status: number | undefined;
  /** True if any byte has arrived. */
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

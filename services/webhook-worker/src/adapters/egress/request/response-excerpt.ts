import type { Readable } from 'node:stream';

const MAX_BYTES = 4_096;
/** The outcome is known by the status line; a slow body is not worth a slot. */
const PATIENCE_MS = 250;

export interface Excerpt {
  /** Null when there was no body. */
  readonly text: string | null;
  /** Was the answer read to its end, so that its connection can be used again? */
  readonly complete: boolean;
}

/** Reads at most 4 KiB of a body, for at most a quarter of a second. Never rejects. */
export function readExcerpt(body: Readable): Promise<Excerpt> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (complete: boolean) => {
      clearTimeout(patience);
      body.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak);
      body.on('error', () => undefined);
      resolve({ text: size === 0 ? null : safeText(Buffer.concat(chunks)), complete });
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, MAX_BYTES - size));
      size += Math.min(chunk.length, MAX_BYTES - size);
      if (size >= MAX_BYTES) finish(false);
    };
    const onEnd = () => finish(true);
    const onBreak = () => finish(false);
    const patience = setTimeout(onBreak, PATIENCE_MS);
    body.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

/**
 * Text that a database and a page can hold: UTF-8 with what is not replaced, without NUL and other controls (a receiver
 * chooses these bytes, and PostgreSQL refuses NUL).
 */
function safeText(bytes: Buffer): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  return bytes.toString('utf8').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd');
}

import { open } from 'node:fs/promises';

const tailBytes = 4_096;
const tailLines = 3;

/** The last lines of a log in one line, for a sentence about a server that did not start. */
export async function tailOf(logFile: string): Promise<string> {
  const file = await open(logFile, 'r').catch(() => undefined);
  if (file === undefined) return 'it left no log';
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, start);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').trim().split('\n');
    return lines.slice(-tailLines).join(' / ') || 'its log is empty';
  } finally {
    await file.close();
  }
}

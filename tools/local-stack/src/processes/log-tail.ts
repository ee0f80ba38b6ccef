import { open } from 'node:fs/promises';

const tailBytes = 8_192;
const tailLines = 3;

/** The last lines of a log in one line, for a sentence about a server that did not start. */
export async function tailOf(logFile: string): Promise<string> {
  return (await lastLines(logFile)).slice(-tailLines).join(' / ') || 'it left no log';
}

/** What a service said on stderr when it could not start: the sentence under its name, or whatever error is last. */
export async function failureIn(logFile: string, name: string): Promise<string | undefined> {
  const lines = await lastLines(logFile);
  return lines.findLast((line) => line.startsWith(`${name}: `)) ?? lines.findLast((line) => /^\w*Error\b/.test(line));
}

async function lastLines(logFile: string): Promise<string[]> {
  const file = await open(logFile, 'r').catch(() => undefined);
  if (file === undefined) return [];
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, Math.max(0, size - tailBytes));
    return buffer.subarray(0, bytesRead).toString('utf8').trimEnd().split('\n');
  } finally {
    await file.close();
  }
}

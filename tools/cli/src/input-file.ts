import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from './failure.js';

/**
 * @param file a path, or `-` for standard input.
 * @throws UsageError that includes the file's name if it cannot be read or parsed.
 */
export async function readInput<Parsed>(file: string, parse: (bytes: Buffer) => Parsed): Promise<Parsed> {
  try {
    return parse(file === '-' ? await buffer(process.stdin) : await readFile(file));
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new UsageError(`The file ${file} cannot be read (${code}).`);
  }
}

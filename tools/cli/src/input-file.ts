import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from './failure.js';

/**
 * @param file `-` for standard input.
 * @param take what is in it; what it throws is a file that cannot be read.
 * @throws UsageError that names the file.
 */
export async function readInput<Taken>(file: string, take: (bytes: Buffer) => Taken): Promise<Taken> {
  try {
    return take(file === '-' ? await buffer(process.stdin) : await readFile(file));
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new UsageError(`The file ${file} cannot be read (${code}).`);
  }
}

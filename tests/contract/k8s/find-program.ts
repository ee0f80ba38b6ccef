import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Where a program is that some machines have: a check that is finer with it, and does without it elsewhere. */
export function findProgram(name: string): string | undefined {
  for (const directory of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

import { access, constants } from 'node:fs/promises';
import path from 'node:path';

/** The first executable file of one of these names on the PATH. */
export async function findOnPath(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    for (const directory of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
      const candidate = path.join(directory, name);
      const executable = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (executable) return candidate;
    }
  }
  return undefined;
}

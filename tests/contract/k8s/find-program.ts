import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Where `pnpm test:k8s` keeps what it has built: a control plane, kubectl, helm. */
export const BUILT_PROGRAMS = path.join(homedir(), '.cache', 'artist-watch', 'kube', 'bin');

/** Where a program is that some machines have: a check that is finer with it, and does without it elsewhere. */
export function findProgram(name: string): string | undefined {
  for (const directory of [...(process.env.PATH ?? '').split(path.delimiter), BUILT_PROGRAMS]) {
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

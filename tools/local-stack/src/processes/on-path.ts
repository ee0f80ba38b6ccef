import { accessSync, constants } from 'node:fs';
import path from 'node:path';

export function findOnPath(names: readonly string[], others: readonly string[] = []): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(path.delimiter).filter(Boolean), ...others];
  return names.flatMap((name) => directories.map((directory) => path.join(directory, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

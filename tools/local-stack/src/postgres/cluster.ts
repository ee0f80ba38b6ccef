import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.js';
import type { SystemUser } from './unprivileged-user.js';

const run = promisify(execFile);

/** Creates the cluster if it is missing, with text sorted by code point. Returns its data directory. */
export async function initialiseCluster(
  directory: string,
  password: string,
  binaries: PostgresBinaries,
  user: SystemUser | undefined,
): Promise<string> {
  const data = path.join(directory, 'data');
  if (await stat(path.join(data, 'PG_VERSION')).catch(() => undefined)) return data;

  const passwordFile = path.join(directory, 'password');
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (user) for (const owned of [directory, data, passwordFile]) await chown(owned, user.uid, user.gid);
    const args = [
      `--pgdata=${pathInCluster(data, user)}`,
      `--pwfile=${pathInCluster(data, user)}/../password`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ];
    await run(binaries.initdb, args, { cwd: data, uid: user?.uid, gid: user?.gid });
  } catch (error) {
    await rm(data, { recursive: true, force: true });
    const stderr = (error as { stderr?: string }).stderr?.trim().split('\n').join(' / ');
    throw new Error(`PostgreSQL could not create its data directory ${data}: ${stderr || (error as Error).message}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  return data;
}

/**
 * Another user may not be able to reach root's directories, but Linux resolves this link to the working directory
 * without checking the parent directories.
 */
export function pathInCluster(data: string, user: SystemUser | undefined): string {
  return user !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : data;
}

/**
 * Removes the lock file of a killed server if another program now has the same process id, because PostgreSQL would
 * otherwise refuse to start.
 */
export async function removeStaleLock(data: string): Promise<void> {
  const lock = path.join(data, 'postmaster.pid');
  const pid = (await readFile(lock, 'utf8').catch(() => '')).split('\n')[0];
  const program = pid ? await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined) : undefined;
  if (program !== undefined && program.trim() !== 'postgres') await rm(lock, { force: true });
}

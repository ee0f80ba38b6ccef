import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.js';
import type { SystemUser } from './unprivileged-user.js';

const run = promisify(execFile);

/**
 * Makes a cluster in `directory`/data when it is not there yet. Sorting is by code point on every machine.
 *
 * @returns the data directory.
 */
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
      `--pgdata=${nameFromWithin(data, user)}`,
      `--pwfile=${nameFromWithin(data, user)}/../password`,
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
    throw new Error(`PostgreSQL could not make its data directory ${data}: ${stderr || (error as Error).message}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  return data;
}

/**
 * How a program started with `data` as its working directory names it. Run by root, PostgreSQL is another user, who may
 * not be able to enter the directories above (root's home, a private temporary directory). Its working directory is set
 * before it becomes that user, and Linux follows this link there without asking the directories above.
 */
export function nameFromWithin(data: string, user: SystemUser | undefined): string {
  return user !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : data;
}

/**
 * Removes the mark of a server that was killed when its process id belongs to another program by now, which is common
 * where ids start again from 1. PostgreSQL itself only sees that the id is taken, and refuses to start.
 */
export async function removeStaleMark(data: string): Promise<void> {
  const mark = path.join(data, 'postmaster.pid');
  const pid = (await readFile(mark, 'utf8').catch(() => '')).split('\n')[0];
  const program = pid ? await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined) : undefined;
  if (program !== undefined && program.trim() !== 'postgres') await rm(mark, { force: true });
}

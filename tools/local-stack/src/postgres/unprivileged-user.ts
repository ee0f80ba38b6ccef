import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Every Linux system has a user called `nobody`. */
const candidates = ['postgres', 'nobody'];

/**
 * Finds a user to run PostgreSQL as, because it refuses to run as root. Returns undefined if this process isn't running
 * as root.
 * @throws Error if there is no suitable user.
 */
export async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const candidate of candidates) {
    const found = users.find(([name]) => name === candidate);
    if (found) return { name: candidate, uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and this system has no user named ${candidates.join(' or ')}. Run this as another user.`,
  );
}

/** Entering a directory requires search permission for it and all its parents. */
export async function mayEnter(directory: string, user: SystemUser): Promise<boolean> {
  for (let current = path.resolve(directory); ; current = path.dirname(current)) {
    const { mode, uid, gid } = await stat(current);
    const granted = uid === user.uid ? mode & 0o100 : gid === user.gid ? mode & 0o010 : mode & 0o001;
    if (granted === 0) return false;
    if (current === path.dirname(current)) return true;
  }
}

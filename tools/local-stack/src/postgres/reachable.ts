import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { SystemUser } from './unprivileged-user.js';

/** Whether the user may enter the directory: it and every directory above it grant the search permission. */
export async function mayEnter(directory: string, user: SystemUser): Promise<boolean> {
  for (let current = path.resolve(directory); ; current = path.dirname(current)) {
    const { mode, uid, gid } = await stat(current);
    const granted = uid === user.uid ? mode & 0o100 : gid === user.gid ? mode & 0o010 : mode & 0o001;
    if (granted === 0) return false;
    if (current === path.dirname(current)) return true;
  }
}

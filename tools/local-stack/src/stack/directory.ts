import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { isRunning, startTimeOf } from '../processes/process-identity.js';
import type { Reaper } from '../processes/reaper.js';

export interface StackDirectory {
  readonly path: string;
  readonly logs: string;
  /** Unlocks the directory, or removes it if it is temporary. */
  release(): Promise<void>;
}

/** @throws StartError if another stack is using the directory, or if it isn't writable. */
export async function openDirectory(kept: string | undefined, reaper: Reaper): Promise<StackDirectory> {
  const directory = kept === undefined ? await makeTemporary(reaper) : path.resolve(kept);
  const logs = path.join(directory, 'logs');
  const ownerFile = path.join(directory, 'stack.json');
  try {
    await mkdir(logs, { recursive: true });
    await lock(directory, ownerFile);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${directory} cannot be used for data: ${(error as Error).message}.`, { cause: error });
  }
  return {
    path: directory,
    logs,
    async release() {
      if (kept !== undefined) return rm(ownerFile, { force: true });
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
      reaper.forgetDirectory(directory);
    },
  };
}

async function makeTemporary(reaper: Reaper): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-'));
  reaper.watchDirectory(directory);
  return directory;
}

/**
 * Locks the directory, because two stacks using it would corrupt the database. Takes over the lock if its stack was
 * killed.
 */
async function lock(directory: string, ownerFile: string): Promise<void> {
  const text = await readFile(ownerFile, 'utf8').catch(() => undefined);
  if (text !== undefined) {
    const owner = JSON.parse(text || '{}') as { pid?: number; startTime?: string };
    if (owner.pid !== undefined && isRunning(owner.pid) && startTimeOf(owner.pid) === owner.startTime) {
      throw new StartError(`${directory} is in use by another stack (process ${owner.pid}).`);
    }
  }
  await writeFile(ownerFile, JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) }));
}

import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const enoughBytes = 4 * 2 ** 30;

/** Memory avoids ext4's long search for free inodes after deletions, which took up to a third of a suite's CPU time. */
export async function placeOfServers(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => undefined);
  return memory && memory.bavail * memory.bsize > enoughBytes ? MEMORY : tmpdir();
}

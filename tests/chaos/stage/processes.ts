import { readFileSync } from 'node:fs';
import { isRunning, parentOf, processIds } from '@artist-watch/local-stack/processes/process-identity';

/** These processes got SIGSTOP and are not resumed yet. */
const frozen = new Set<number>();

/** @param command must occur in the process's command line, because another process may have the id by now. */
export function kill(pid: number, command: string): boolean {
  return signal(pid, 'SIGKILL', command);
}

/** Stops processes with SIGSTOP. {@link thaw} resumes them. */
export function freeze(pids: readonly number[], command: string): readonly number[] {
  return pids.filter((pid) => {
    const stopped = signal(pid, 'SIGSTOP', command);
    if (stopped) frozen.add(pid);
    return stopped;
  });
}

export function thaw(pids: readonly number[]): void {
  for (const pid of pids) {
    if (!frozen.delete(pid)) continue;
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // The process was killed while it was frozen.
    }
  }
}

/** True if the process exists and is not stopped. */
export function isUp(pid: number): boolean {
  return isRunning(pid) && !frozen.has(pid);
}

/** Processes that a failed scenario leaves frozen would never end. */
export function thawEverything(): void {
  thaw([...frozen]);
}

/** PostgreSQL has several processes, and all of them must be frozen. */
export function withChildren(pid: number): number[] {
  return [pid, ...processIds().filter((candidate) => parentOf(candidate) === pid)];
}

function signal(pid: number, name: NodeJS.Signals, command: string): boolean {
  if (!isRunning(pid) || !commandOf(pid).includes(command)) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

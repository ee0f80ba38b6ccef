import { readFileSync } from 'node:fs';
import { isRunning, parentOf, processIds } from '@artist-watch/local-stack/processes/process-identity';

/** Processes of the stage that were stopped with SIGSTOP and not resumed yet. */
const frozen = new Set<number>();

/**
 * Ends a process without a warning.
 *
 * @param command what its command line must contain: an id that was read a moment ago may be somebody else's by now.
 * @returns whether there was such a process.
 */
export function kill(pid: number, command: string): boolean {
  return signal(pid, 'SIGKILL', command);
}

/** Stops processes in the middle of whatever they do; {@link thaw} lets them go on. */
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
      // It was killed while it was frozen.
    }
  }
}

/** Does it run, and is it let? */
export function isUp(pid: number): boolean {
  return isRunning(pid) && !frozen.has(pid);
}

/** What a scenario that failed has left frozen would never end. */
export function thawEverything(): void {
  thaw([...frozen]);
}

/** A PostgreSQL is a process for each connection and some for itself; frozen is only one whose processes all are. */
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

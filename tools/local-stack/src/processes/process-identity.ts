import { readdirSync, readFileSync } from 'node:fs';

/** Returns the fields of proc(5) stat by their numbers; undefined without /proc or without the process. */
export function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses, which may contain spaces and parentheses.
    return ['', String(pid), '', ...stat.slice(stat.lastIndexOf(')') + 2).split(' ')];
  } catch {
    return undefined;
  }
}

/** Returns the ids of all processes of this machine; empty without /proc. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * Returns the start time in clock ticks since boot, which distinguishes a process from a later one with the same id.
 */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.[22];
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)?.[4]);
}

/** True if the process runs. A zombie doesn't. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statOf(pid)?.[3] !== 'Z';
}

import { readdirSync, readFileSync } from 'node:fs';

/** Returns the fields of /proc/PID/stat, numbered as in proc(5), or undefined if /proc or the process doesn't exist. */
export function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name is in parentheses, but may itself contain spaces and parentheses.
    return ['', String(pid), '', ...stat.slice(stat.lastIndexOf(')') + 2).split(' ')];
  } catch {
    return undefined;
  }
}

/** Empty without /proc. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** The start time in ticks since boot, which distinguishes the process from a later one with the same id. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.[22];
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)?.[4]);
}

/** False for a zombie process. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statOf(pid)?.[3] !== 'Z';
}

import { readdirSync, readFileSync } from 'node:fs';

/** Returns the fields of /proc/PID/stat by their numbers in proc(5), or undefined without /proc or the process. */
export function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command in parentheses may itself contain spaces and parentheses.
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

/** Ticks since boot distinguish the process from a later one with the same id. */
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

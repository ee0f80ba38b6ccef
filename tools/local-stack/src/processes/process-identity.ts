import { readdirSync, readFileSync } from 'node:fs';

/** The fields of proc(5) stat under their numbers there; undefined where there is no /proc, or no such process. */
export function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    return ['', String(pid), '', ...stat.slice(stat.lastIndexOf(')') + 2).split(' ')];
  } catch {
    return undefined;
  }
}

/** Of every process of this machine; none where there is no /proc. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Clock ticks since boot; distinguishes a process from a later one with the same id. */
export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.[22];
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)?.[4]);
}

/** Whether the process runs; one that ended and was not yet waited for (a zombie) does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statOf(pid)?.[3] !== 'Z';
}

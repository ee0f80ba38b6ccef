import { readFileSync } from 'node:fs';

interface ProcessStat {
  readonly state: string;
  /** Clock ticks since boot; distinguishes a process from a later one with the same id. */
  readonly startTime: string;
}

/** Fields 3 and 22 of proc(5) stat; undefined where there is no /proc, or no such process. */
function statOf(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

export function startTimeOf(pid: number): string | undefined {
  return statOf(pid)?.startTime;
}

/** Whether the process runs; one that ended and was not yet waited for (a zombie) does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statOf(pid)?.state !== 'Z';
}

import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever its timer (man 5 proc, _SC_CLK_TCK). */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/**
 * CPU that a process and its children have used so far, in milliseconds, those included that have ended: for PostgreSQL,
 * which has a process for each connection. Zero where there is no /proc.
 */
export function familyCpuMs(pid: number): number {
  let totalMs = 0;
  for (const name of processNames()) {
    const stat = statOf(name);
    if (stat?.pid === pid) totalMs += stat.cpuMs + stat.endedChildrenCpuMs;
    else if (stat?.parent === pid) totalMs += stat.cpuMs;
  }
  return totalMs;
}

/** What processes hold in memory together, in bytes; their children are not counted. Zero where there is no /proc. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + residentPages(pid) * PAGE_BYTES, 0);
}

/**
 * The same, where a page that several processes share counts once for all of them (PSS, man 5 proc_pid_smaps): services on
 * one machine share the program text of Node. Zero where there is no /proc.
 */
export function proportionalBytes(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + proportionalKib(pid) * 1_024, 0);
}

function proportionalKib(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function residentPages(pid: number): number {
  try {
    // The second field is the resident pages (man 5 proc).
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  } catch {
    return 0;
  }
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function statOf(name: string) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    // The second field is the program's name in brackets and may hold anything; count from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [, parent, , , , , , , , , , user, system, endedUser, endedSystem] = fields;
    return {
      pid: Number(name),
      parent: Number(parent),
      cpuMs: (Number(user) + Number(system)) * TICK_MS,
      endedChildrenCpuMs: (Number(endedUser) + Number(endedSystem)) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

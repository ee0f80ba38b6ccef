import { readFileSync } from 'node:fs';
import { processIds, statOf } from '@artist-watch/local-stack/processes/process-identity';

/** Linux reports CPU time in hundredths of a second, regardless of its timer frequency (man 5 proc, _SC_CLK_TCK). */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/**
 * Includes children that have exited, because PostgreSQL uses one process per connection. Returns zero without /proc.
 */
export function familyCpuMs(pid: number): number {
  let ticks = 0;
  for (const id of processIds()) {
    const stat = statOf(id);
    if (!stat) continue;
    const [ofUser, ofSystem, ofEndedChildren, ofEndedInSystem] = stat.slice(14, 18).map(Number) as Ticks;
    if (id === pid) ticks += ofUser + ofSystem + ofEndedChildren + ofEndedInSystem;
    else if (Number(stat[4]) === pid) ticks += ofUser + ofSystem;
  }
  return ticks * TICK_MS;
}

type Ticks = [number, number, number, number];

export function residentBytes(pids: readonly number[]): number {
  // The second field is the number of resident pages (man 5 proc).
  return sumOf(pids, 'statm', /^\d+ (\d+)/) * PAGE_BYTES;
}

/**
 * Counts shared pages only once (PSS, man 5 proc_pid_smaps), because services share Node's program code. Returns zero
 * without /proc.
 */
export function proportionalBytes(pids: readonly number[]): number {
  return sumOf(pids, 'smaps_rollup', /^Pss:\s+(\d+)/m) * 1_024;
}

function sumOf(pids: readonly number[], file: string, number: RegExp): number {
  return pids.reduce((total, pid) => {
    try {
      return total + Number(number.exec(readFileSync(`/proc/${pid}/${file}`, 'latin1'))?.[1] ?? 0);
    } catch {
      return total;
    }
  }, 0);
}

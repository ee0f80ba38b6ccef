import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** A pinned process never moves to another core, so its caches stay warm. */
const MEASURED_CORE = 0;
/** Count the cores before `leaveMeasuredCore` runs, because it reduces `availableParallelism` by one. */
const CORES = availableParallelism();
const CAN_PIN = CORES > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Pinning needs `taskset` and more than one core. */
export function canPin(): boolean {
  return CAN_PIN;
}

export function pinMeasured(pid: number): void {
  pin(pid, String(MEASURED_CORE));
}

export function allowAllCores(pid: number): void {
  pin(pid, `${MEASURED_CORE}-${CORES - 1}`);
}

/** Children started later also stay off the core. */
export function leaveMeasuredCore(): void {
  pin(process.pid, `${MEASURED_CORE + 1}-${CORES - 1}`);
}

/** In production, this process runs on a separate machine, so here it only gets spare CPU time. */
export function setIdlePriority(pid: number): void {
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
}

function pin(pid: number, cores: string): void {
  if (!CAN_PIN) return;
  const { status, stderr } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
  if (status !== 0) throw new Error(`Process ${pid} could not be pinned to core ${cores}: ${stderr}`);
}

/**
 * Prevents delays in this process, which would show up in the measured latencies. Child processes don't inherit the
 * priority.
 */
export function raisePriority(): void {
  // Some containers forbid this, and macOS has no `chrt`.
  spawnSync('chrt', ['--reset-on-fork', '--rr', '--pid', '1', String(process.pid)]);
}

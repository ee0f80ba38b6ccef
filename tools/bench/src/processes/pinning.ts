import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The core of the measured process. A pinned process never moves to another core, so its caches stay warm. */
const MEASURED_CORE = 0;
/** Read once at startup: after `leaveMeasuredCore`, `availableParallelism` would report one core fewer. */
const CORES = availableParallelism();
const CAN_PIN = CORES > 1 && spawnSync('taskset', ['--version']).status === 0;

/**
 * True if `taskset` is available and the machine has more than one core. Otherwise the system schedules all processes.
 */
export function canPin(): boolean {
  return CAN_PIN;
}

/** Pins a measured process and its threads to the measured core. */
export function pinMeasured(pid: number): void {
  pin(pid, String(MEASURED_CORE));
}

/** Allows a process and its future children to use all cores. */
export function allowAllCores(pid: number): void {
  pin(pid, `${MEASURED_CORE}-${CORES - 1}`);
}

/** Keeps this process and its future children off the measured core. */
export function leaveMeasuredCore(): void {
  pin(process.pid, `${MEASURED_CORE + 1}-${CORES - 1}`);
}

/**
 * Lets a process use only CPU time that nothing else needs. In production it runs on a separate machine and takes no
 * time from the measured process.
 */
export function setIdlePriority(pid: number): void {
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
}

function pin(pid: number, cores: string): void {
  if (!CAN_PIN) return;
  const { status, stderr } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
  if (status !== 0) throw new Error(`Process ${pid} could not be pinned to core ${cores}: ${stderr}`);
}

/**
 * Raises the priority of this process. It shares cores with PostgreSQL, and its own delays would appear in the measured
 * latencies. Child processes do not inherit the priority. V8 reads its options only at the start, so the `bench` script
 * in package.json sets the options that make garbage collections rare.
 */
export function raisePriority(): void {
  // This may fail, because some containers forbid it and macOS has no `chrt`.
  spawnSync('chrt', ['--reset-on-fork', '--rr', '--pid', '1', String(process.pid)]);
}

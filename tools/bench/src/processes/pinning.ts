import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The core of the measured process. Pinned, it is not moved and its caches stay warm. */
const MEASURED_CORE = 0;
/** Read once: a process that has left a core counts one less. */
const CORES = availableParallelism();
const CAN_PIN = CORES > 1 && spawnSync('taskset', ['--version']).status === 0;

/** True with `taskset` and more than one core. Otherwise the system places all processes. */
export function canPin(): boolean {
  return CAN_PIN;
}

/** Pins a measured process and its threads to its core. */
export function pinMeasured(pid: number): void {
  pin(pid, String(MEASURED_CORE));
}

/** Allows a process, and its later children, on all cores. */
export function allowAllCores(pid: number): void {
  pin(pid, `${MEASURED_CORE}-${CORES - 1}`);
}

/** Keeps this process and its later children off the measured core. */
export function leaveMeasuredCore(): void {
  pin(process.pid, `${MEASURED_CORE + 1}-${CORES - 1}`);
}

/**
 * Gives a process only idle CPU time. In production it has a separate machine and takes nothing from the measured
 * process.
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
 * Gives this process priority, because it shares cores with PostgreSQL and its own delays would appear in the
 * latencies. Children do not inherit it. The options of `bench` in package.json make its garbage collections rare,
 * because V8 reads them only at the start.
 */
export function raisePriority(): void {
  // Containers may forbid it, and macOS does not have it.
  spawnSync('chrt', ['--reset-on-fork', '--rr', '--pid', '1', String(process.pid)]);
}

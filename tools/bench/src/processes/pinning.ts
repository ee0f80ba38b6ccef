import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** What is measured has a core to itself: it is not moved about, and finds its caches warm. */
const MEASURED_CORE = 0;
/** Counted once: a process that has left a core counts one less. */
const CORES = availableParallelism();
const CAN_PIN = CORES > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Whether there is `taskset` and more than one core; without, all processes run where the system puts them. */
export function canPin(): boolean {
  return CAN_PIN;
}

/** Ties a measured process and all its threads to its core. */
export function pinMeasured(pid: number): void {
  pin(pid, String(MEASURED_CORE));
}

/** Lets a process, and what it starts from now on, run wherever the system puts them, that core included. */
export function allowAllCores(pid: number): void {
  pin(pid, `${MEASURED_CORE}-${CORES - 1}`);
}

/** Keeps this process, and what it starts from now on, away from the core of what is measured. */
export function leaveMeasuredCore(): void {
  pin(process.pid, `${MEASURED_CORE + 1}-${CORES - 1}`);
}

/**
 * Lets a process have what nobody else wants of its cores: in an installation it has a machine of its own, and takes
 * nothing from what is measured.
 */
export function leaveCoresToOthers(pid: number): void {
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)]);
}

function pin(pid: number, cores: string): void {
  if (!CAN_PIN) return;
  const { status, stderr } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
  if (status !== 0) throw new Error(`Process ${pid} could not be tied to core ${cores}: ${stderr}`);
}

/**
 * Lets this process ask on time: what measures shares its cores with PostgreSQL, and would find its own pauses in the
 * latencies. It goes first on its core, as far as the system grants that; what it starts from now on does not. Its garbage
 * it collects rarely and in one go, by the options of the command `bench` in package.json: V8 takes them at its start only.
 */
export function askUndisturbed(): void {
  // Not everywhere: a container may not, and macOS has none.
  spawnSync('chrt', ['--reset-on-fork', '--rr', '--pid', '1', String(process.pid)]);
}

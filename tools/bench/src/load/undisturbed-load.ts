import { spawnSync } from 'node:child_process';

/**
 * Lets this process ask on time: what measures shares its cores with PostgreSQL, and would find its own pauses in the
 * latencies. It goes first on its core, as far as the system grants that; what it starts from now on does not. Its garbage
 * it collects rarely and in one go, by the options of the command `bench` in package.json: V8 takes them at its start only.
 */
export function askUndisturbed(): void {
  // Not everywhere: a container may not, and macOS has none.
  spawnSync('chrt', ['--reset-on-fork', '--rr', '--pid', '1', String(process.pid)]);
}

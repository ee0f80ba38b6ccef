import { spawn } from 'node:child_process';
import { root } from './root.mjs';

/**
 * Runs a program and keeps what it says, which is worth showing only when it fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<{ failed: boolean, output: string }>}
 */
export function run(command, args, { cwd = root, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => resolve({ failed: true, output: `${command}: ${error.message}` }));
    child.on('close', (code) => resolve({ failed: code !== 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/**
 * Runs a program on this terminal and resolves with its exit code. It gets a process group of its own, and signals to
 * this process end the whole group: nothing that it started stays behind.
 *
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export function runAttached(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const signalGroup = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // The group is gone.
      }
    };
    const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of forwarded) process.on(signal, signalGroup);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of forwarded) process.off(name, signalGroup);
      signalGroup('SIGKILL');
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

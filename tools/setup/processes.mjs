import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './root.mjs';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program and collects its output. On a signal, ends the program before this process.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<{ failed: boolean, output: string }>}
 */
export async function run(command, args, { cwd = root, env = {} } = {}) {
  const chunks = [];
  const child = startInGroup(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.process.stdout.on('data', (chunk) => chunks.push(chunk));
  child.process.stderr.on('data', (chunk) => chunks.push(chunk));
  try {
    const { code, stoppedBy } = await child.ended;
    if (stoppedBy) process.exit(toExitCode(stoppedBy));
    return { failed: code !== 0, output: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    return { failed: true, output: `${command}: ${error.message}` };
  }
}

/**
 * Runs a program on this terminal and resolves with its exit code.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export async function runAttached(command, args) {
  const { code, signal } = await startInGroup(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    .ended;
  return code ?? toExitCode(signal);
}

/** Starts the program in a separate process group, so that its child processes end with it. */
function startInGroup(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true });
  let stoppedBy;
  const signalGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group no longer exists.
    }
  };
  const pass = (signal) => {
    stoppedBy = signal;
    signalGroup(signal);
  };
  for (const signal of stopSignals) process.on(signal, pass);
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    // `close` comes after `exit`, when all output has been read.
    child.once('exit', () => signalGroup('SIGKILL'));
    child.once('close', (code, signal) => resolve({ code, signal, stoppedBy }));
  }).finally(() => {
    for (const signal of stopSignals) process.off(signal, pass);
  });
  return { process: child, ended };
}

/** Returns 128 plus the signal's number, as shells do. */
function toExitCode(signal) {
  return 128 + (constants.signals[signal] ?? constants.signals.SIGTERM);
}

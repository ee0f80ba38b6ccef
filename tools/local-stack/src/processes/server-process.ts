import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reaper } from './reaper.js';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running program: a database, a cache, or a service of the house. */
export interface ServerProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessExit>;
  readonly hasExited: () => boolean;
  /** Sends the first signal, each further one when its turn comes, SIGKILL last; resolves when the process is gone. */
  stop(signals: readonly NodeJS.Signals[], patienceMs: number): Promise<ProcessExit>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** That of this process unless given. */
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Another user to run as; only root may ask for it. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Where stdout and stderr are appended: a pipe would break, and take the last lines with it, if we were killed. */
  readonly logFile: string;
  /** Node, with a channel to this process; it ends by itself when the channel closes. */
  readonly hasChannel?: boolean;
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C in a terminal reaches only the process that stops
 * everything in order.
 *
 * @throws when the program cannot be executed.
 */
export async function startServerProcess(server: ServerCommand, reaper: Reaper): Promise<ServerProcess> {
  const log = openSync(server.logFile, 'a');
  const child = spawn(server.command, server.args, {
    cwd: server.cwd,
    env: server.env,
    detached: true,
    stdio: ['ignore', log, log, ...(server.hasChannel ? (['ipc'] as const) : [])],
    ...server.user,
  });
  closeSync(log);
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as ProcessExit);
  exited.catch(() => undefined);
  child.on('error', () => undefined);
  await once(child, 'spawn');
  const pid = child.pid as number;
  reaper.watchProcess(pid);
  void exited.then(() => reaper.forgetProcess(pid));
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;

  return {
    pid,
    child,
    exited,
    hasExited,
    async stop(signals, patienceMs) {
      for (const signal of [...signals, 'SIGKILL' as const]) {
        if (hasExited()) break;
        child.kill(signal);
        const timer = new AbortController();
        await Promise.race([exited, sleep(patienceMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
        timer.abort();
      }
      return exited;
    },
  };
}

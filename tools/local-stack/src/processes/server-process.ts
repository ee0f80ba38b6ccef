import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reaper } from './reaper.js';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessExit>;
  readonly hasExited: () => boolean;
  /** Sends the signals one by one, `patienceMs` apart, and finally SIGKILL. Resolves once the process has exited. */
  stop(signals: readonly NodeJS.Signals[], patienceMs: number): Promise<ProcessExit>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Only works if this process runs as root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Unlike a pipe, a file still contains the last lines if this process is killed. */
  readonly logFile: string;
  /** Opens an IPC channel. A Node program exits when its channel to this process closes. */
  readonly hasChannel?: boolean;
}

/**
 * Uses a separate process group, so that Ctrl-C only reaches this process, which then stops everything in order.
 * @throws Error if the program cannot be executed.
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

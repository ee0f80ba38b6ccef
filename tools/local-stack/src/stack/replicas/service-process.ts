import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { untilReady } from '../../processes/child-program.js';
import { failureIn } from '../../processes/embedded-server.js';
import type { Reaper } from '../../processes/reaper.js';
import type { ProcessExit } from '../../processes/server-process.js';

/** A service of the house that has started and said so. */
export interface ServiceProcess {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
}

export interface ServiceCommand {
  /** As it calls itself. */
  readonly name: string;
  readonly label: string;
  /** The compiled main file. */
  readonly main: string;
  /** Of Node. */
  readonly options: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where stdout and stderr are appended: a pipe would break, and take the last lines with it, if we were killed. */
  readonly logFile: string;
}

const startTimeoutMs = 60_000;

/**
 * Starts a service and waits for its word that it listens. It is in a process group of its own, so that Ctrl-C in a
 * terminal reaches only the process that stops everything in order; it stops by itself when the channel to us closes.
 *
 * @param onSpawn called with the child at once, so that it can be stopped while it starts.
 * @throws StartError with the sentence that the service printed when it does not start.
 */
export async function startServiceProcess(
  command: ServiceCommand,
  reaper: Reaper,
  onSpawn: (child: ChildProcess) => void,
): Promise<ServiceProcess> {
  const log = openSync(command.logFile, 'a');
  const child = fork(command.main, [], {
    env: command.env,
    detached: true,
    execArgv: [...command.options],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  child.on('error', () => undefined);
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as ProcessExit);
  exited.catch(() => undefined);
  onSpawn(child);
  if (child.pid !== undefined) {
    const { pid } = child;
    reaper.watchProcess(pid);
    exited.then(() => reaper.forgetProcess(pid)).catch(() => undefined);
  }
  await started(child, command);
  return { pid: child.pid as number, exited };
}

async function started(child: ChildProcess, { label, name, logFile }: ServiceCommand): Promise<void> {
  const timer = new AbortController();
  const timedOut = sleep(startTimeoutMs, 'timed out' as const, { signal: timer.signal }).catch(() => undefined);
  const outcome = await Promise.race([untilReady(child), timedOut]);
  timer.abort();
  if (outcome === 'timed out') throw new StartError(`${label} did not start within ${startTimeoutMs / 1_000} s.`);
  if (!outcome) throw new StartError((await failureIn(logFile, name)) ?? `${label} ended before it had started.`);
}

import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { stopChild, untilReady } from '@artist-watch/local-stack/processes/child-program';
import { imageCommand } from '@artist-watch/local-stack/stack/replicas/image-command';
import { inCheckout } from '../checkout.js';
import { pinMeasured } from './pinning.js';

export interface ProcessUsage {
  /** User and system time of all threads since the process started. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

export interface MeasuredProcess {
  readonly name: string;
  readonly pid: number;
  /** The ports or URLs from the program's ready message. */
  readonly addresses: Readonly<Record<string, string | number>>;
  /** The log contains the stdout and stderr of every program with this name. */
  readonly logFile: string;
  usage(): Promise<ProcessUsage>;
  /** Resolves with the response that has the same `type`. */
  ask<Answer>(type: string): Promise<Answer>;
  stop(): Promise<void>;
}

export interface MeasuredProgram {
  readonly name: string;
  /** Absolute path, or relative to the root of the checkout. */
  readonly main: string;
  readonly options?: readonly string[];
  /** Extends this process's environment. */
  readonly env: NodeJS.ProcessEnv;
  /** If true, the program runs on the cores that aren't being measured. */
  readonly isBeside?: boolean;
  /** If profiling is enabled, the program writes a CPU profile when it exits. */
  readonly profiled?: boolean;
}

const probe = pathToFileURL(inCheckout('tools/bench/dist/processes/cpu-probe.js')).href;
const STOP_TIMEOUT_MS = 15_000;

/**
 * The program sends `{ type: 'ready', addresses }` once it is listening.
 * @param directory for the program's log, because logging is part of the work being measured.
 */
export async function startMeasured(
  { name, main, options = [], env, isBeside, profiled }: MeasuredProgram,
  directory: string,
  profileDirectory: string | undefined,
): Promise<MeasuredProcess> {
  const logFile = path.join(directory, `${name}.log`);
  const log = openSync(logFile, 'a');
  const profiling = profiled && profileDirectory !== undefined ? profileOptions(name, profileDirectory) : [];
  const child = fork(path.resolve(inCheckout(''), main), [], {
    env: { ...process.env, ...EVERY_PROGRAM, ...env },
    execArgv: [...options, '--import', probe, ...profiling],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  child.on('error', () => undefined);
  const ready = await untilReady(child);
  if (!ready) throw new Error(`${name} did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
  const pid = child.pid as number;
  if (!isBeside) pinMeasured(pid);
  const ask = <Answer>(type: string) => {
    const answered = answer<Answer>(child, type);
    child.send({ type });
    return answered;
  };
  return {
    name,
    pid,
    addresses: ready.addresses,
    logFile,
    usage: () => ask<ProcessUsage>('usage'),
    ask,
    stop: async () => void (await stopChild(child, 'SIGTERM', STOP_TIMEOUT_MS)),
  };
}

function answer<Message>(child: ChildProcess, type: string): Promise<Message> {
  return new Promise((resolve) => {
    const listener = (message: unknown) => {
      if ((message as { type?: string }).type !== type) return;
      child.off('message', listener);
      resolve(message as Message);
    };
    child.on('message', listener);
  });
}

function profileOptions(name: string, directory: string): string[] {
  return ['--cpu-prof', '--cpu-prof-dir', directory, '--cpu-prof-name', `${name}.cpuprofile`];
}

const EVERY_PROGRAM = { LISTEN_HOST: '127.0.0.1', OPS_PORT: '0', LOG_LEVEL: 'info', NODE_ENV: 'production' };

export function programOfImage(
  image: string,
  settings: NodeJS.ProcessEnv,
): Pick<MeasuredProgram, 'main' | 'options' | 'env'> {
  const { main, options, env } = imageCommand(image);
  return { main, options, env: { ...env, ...settings } };
}

import { execFile, fork } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ReadyMessage, stopChild, untilReady } from '@artist-watch/local-stack/processes/child-program';

/**
 * Node's permission model denies writing files, starting processes and loading native code, like a read-only file
 * system.
 */
const CONFINED = [
  process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
  ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
  '--allow-fs-read=*',
  '--disable-warning=ExperimentalWarning',
];

/** No service needs longer to stop. */
const STOP_TIMEOUT_MS = 60_000;

export interface ImageProcess extends ReadyMessage {
  output(): string;
  stop(): Promise<number | null>;
}

export async function startFromImage(
  directory: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ImageProcess> {
  const options = command.filter((word) => word.startsWith('-'));
  const program = command.at(-1) ?? '';
  const child = fork(path.join(directory, program), {
    cwd: directory,
    env: environment(env),
    execArgv: [...CONFINED, ...options],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString('utf8');
  const ready = await untilReady(child);
  if (!ready) throw new Error(`${program} did not start:\n${output()}`);
  return { ...ready, output, stop: () => stopChild(child, 'SIGTERM', STOP_TIMEOUT_MS) };
}

export async function runFromImage(
  directory: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const args = [...CONFINED, ...command];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory, env: environment(env) });
  return stdout;
}

/** Without PATH, no other program can be found. */
function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { NODE_ENV: 'production', PATH: '/nowhere', ...env };
}

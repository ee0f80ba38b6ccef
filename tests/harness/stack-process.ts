import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { useSuite } from './suite.js';

const program = createRequire(import.meta.url).resolve('@artist-watch/local-stack/main');

/** A whole system of a test's own: `pnpm stack up` in a process beside this one. */
export interface StackProcess {
  readonly child: ChildProcess;
  readonly readyFile: string;
  /** As the ready file says now; process ids change with restarts. */
  state(): Promise<ReadyState>;
  /** What it has said so far, for people. */
  output(): string;
  /** SIGTERM; resolves with the exit code when it is gone. */
  stop(): Promise<number | null>;
}

export interface StackFailure {
  readonly code: number | null;
  readonly output: string;
}

export interface StackProcessOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `stack up` and waits until it is ready. It ends with this process, however that ends. */
export async function startStackProcess(options: StackProcessOptions = {}): Promise<StackProcess> {
  const run = await launch(options);
  if (run.outcome !== 'ready') {
    await rm(path.dirname(run.readyFile), { recursive: true, force: true });
    throw new Error(`The stack did not start:\n${run.output()}`);
  }
  const { child, readyFile, output } = run;
  return {
    child,
    readyFile,
    output,
    state: async () => JSON.parse(await readFile(readyFile, 'utf8')) as ReadyState,
    async stop() {
      const code = await ended(child, () => child.kill('SIGTERM'));
      await rm(path.dirname(readyFile), { recursive: true, force: true });
      return code;
    },
  };
}

/** Settings with which a stack uses the servers of the suite: quicker than servers of its own, where none is to fail. */
export async function onSuiteServers(): Promise<Record<string, string>> {
  const { databaseUrl, redisUrl } = await useSuite();
  return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
}

/** Starts `stack up` where it cannot start. Throws when it does. */
export async function failToStartStack(options: StackProcessOptions): Promise<StackFailure> {
  const run = await launch(options);
  await rm(path.dirname(run.readyFile), { recursive: true, force: true });
  if (run.outcome === 'ready') {
    await ended(run.child, () => run.child.kill('SIGTERM'));
    throw new Error('The stack started.');
  }
  return { code: run.child.exitCode, output: run.output() };
}

async function launch({ args = [], env = {} }: StackProcessOptions) {
  const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-ready-'));
  const readyFile = path.join(directory, 'ready.json');
  const child = fork(program, ['up', '--ready-file', readyFile, ...args], {
    env: { ...withoutSettings(process.env), ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const outcome = await Promise.race([
    once(child, 'message').then(() => 'ready' as const),
    once(child, 'close').then(() => 'ended' as const),
  ]);
  return { child, readyFile, outcome, output: () => Buffer.concat(chunks).toString('utf8') };
}

async function ended(child: ChildProcess, act: () => void): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    act();
    await exit;
  }
  return child.exitCode;
}

/** A developer's own DATABASE_URL must not reach a stack that a test starts. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, REDIS_URL: _redis, PLATFORM_URL: _platform, ...rest } = env;
  return rest;
}

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stopChild, untilReady } from '@artist-watch/local-stack/processes/child-program';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { placeOfServers } from './place-of-servers.js';
import { useSuite } from './suite.js';

const program = createRequire(import.meta.url).resolve('@artist-watch/local-stack/main');

const stopTimeoutMs = 90_000;

export interface StackProcess {
  readonly child: ChildProcess;
  readonly readyFile: string;
  /** Reads the ready file. Process ids change with restarts. */
  state(): Promise<ReadyState>;
  output(): string;
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

/** Waits until the stack is ready. The stack ends with this process, even if this process is killed. */
export async function startStackProcess(options: StackProcessOptions = {}): Promise<StackProcess> {
  const run = await launch(options);
  if (!run.ready) {
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
      const code = await stopChild(child, 'SIGTERM', stopTimeoutMs);
      await rm(path.dirname(readyFile), { recursive: true, force: true });
      return code;
    },
  };
}

/** The suite's servers are faster than new servers. */
export async function onSuiteServers(): Promise<Record<string, string>> {
  const { databaseUrl, redisUrl } = await useSuite();
  return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
}

/** Throws if the stack starts. */
export async function failToStartStack(options: StackProcessOptions): Promise<StackFailure> {
  const run = await launch(options);
  await rm(path.dirname(run.readyFile), { recursive: true, force: true });
  if (run.ready) {
    await stopChild(run.child, 'SIGTERM', stopTimeoutMs);
    throw new Error('The stack started.');
  }
  return { code: run.child.exitCode, output: run.output() };
}

async function launch({ args = [], env = {} }: StackProcessOptions) {
  const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-ready-'));
  const readyFile = path.join(directory, 'ready.json');
  const child = fork(program, ['up', '--ready-file', readyFile, ...args], {
    env: { ...withoutSettings(process.env), TMPDIR: await placeOfServers(), ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ready = await untilReady(child);
  return { child, readyFile, ready, output: () => Buffer.concat(chunks).toString('utf8') };
}

/** A DATABASE_URL in the developer's environment must not affect a test's stack. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, REDIS_URL: _redis, PLATFORM_URL: _platform, ...rest } = env;
  return rest;
}

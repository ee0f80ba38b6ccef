import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isFree } from './free-port.js';
import type { ProcessExit, ServerProcess } from './server-process.js';

const startTimeoutMs = 60_000;
const pollMs = 20;
const patienceMs = 10_000;
const startAttempts = 4;

export interface EmbeddedServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  onUnexpectedExit(listener: (exit: ProcessExit) => void): void;
  /** Resolves once the server responds again, on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerKind {
  readonly name: string;
  readonly logFile: string;
  readonly stopSignals: readonly NodeJS.Signals[];
  urlAt(port: number): string;
  launch(port: number): Promise<ServerProcess>;
  /** Resolves with false or rejects while the server isn't ready. */
  answers(port: number): Promise<boolean>;
}

/**
 * Starts a server, by default on a free port, and waits until it responds.
 * @throws Error with the end of the server's log if the server doesn't start.
 */
export async function runEmbeddedServer(kind: ServerKind, givenPort: number | undefined): Promise<EmbeddedServer> {
  const listeners: Array<(exit: ProcessExit) => void> = [];
  let stopping = false;

  async function start(port: number): Promise<ServerProcess> {
    const server = await kind.launch(port);
    const deadline = Date.now() + startTimeoutMs;
    while (!(await kind.answers(port).catch(() => false))) {
      if (server.hasExited())
        throw new Error(`${kind.name} did not start on port ${port}: ${await readTail(kind.logFile)}`);
      if (Date.now() > deadline) {
        await server.stop(kind.stopSignals, patienceMs);
        throw new Error(
          `${kind.name} did not respond within ${startTimeoutMs / 1_000} s: ${await readTail(kind.logFile)}`,
        );
      }
      await sleep(pollMs);
    }
    if (server.hasExited()) throw new Error(`A server other than ${kind.name} responds on port ${port}.`);
    void server.exited.then((exit) => {
      if (!stopping) for (const listener of listeners) listener(exit);
    });
    return server;
  }

  async function startOnAnyPort(): Promise<{ port: number; server: ServerProcess }> {
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      try {
        return { port, server: await start(port) };
      } catch (error) {
        // The port may already be free again, so also look for the conflict in the error, which includes the server's log.
        const wasTaken = /address already in use/i.test(String(error)) || !(await isFree(port));
        if (attempt === startAttempts || !wasTaken) throw error;
      }
    }
  }

  /** Retries, because a killed server's children and shared memory take a moment to disappear. */
  async function startWithRetries(port: number): Promise<ServerProcess> {
    const deadline = Date.now() + startTimeoutMs;
    for (;;) {
      try {
        return await start(port);
      } catch (error) {
        if (stopping || Date.now() > deadline) throw error;
        await sleep(10 * pollMs);
      }
    }
  }

  if (givenPort !== undefined && !(await isFree(givenPort))) {
    throw new Error(`Port ${givenPort} for ${kind.name} is already in use.`);
  }
  const first = givenPort === undefined ? await startOnAnyPort() : { port: givenPort, server: await start(givenPort) };
  const { port } = first;
  let current = first.server;

  return {
    url: kind.urlAt(port),
    port,
    get pid() {
      return current.pid;
    },
    onUnexpectedExit(listener) {
      listeners.push(listener);
    },
    async restart() {
      await current.exited;
      current = await startWithRetries(port);
    },
    async stop() {
      stopping = true;
      await current.stop(kind.stopSignals, patienceMs);
    },
  };
}

const tailBytes = 8_192;
const tailLines = 3;

export async function readTail(logFile: string): Promise<string> {
  return (await lastLines(logFile)).slice(-tailLines).join(' / ') || 'the log is empty';
}

/** Returns the last line that starts with the service's name, or otherwise the last error. */
export async function findStartFailure(logFile: string, name: string): Promise<string | undefined> {
  const lines = await lastLines(logFile);
  return lines.findLast((line) => line.startsWith(`${name}: `)) ?? lines.findLast((line) => /^\w*Error\b/.test(line));
}

async function lastLines(logFile: string): Promise<string[]> {
  const file = await open(logFile, 'r').catch(() => undefined);
  if (file === undefined) return [];
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, Math.max(0, size - tailBytes));
    return buffer.subarray(0, bytesRead).toString('utf8').trimEnd().split('\n');
  } finally {
    await file.close();
  }
}

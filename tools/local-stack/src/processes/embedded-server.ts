import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isFree } from './free-port.js';
import type { ProcessExit, ServerProcess } from './server-process.js';

const startTimeoutMs = 60_000;
const pollMs = 20;
const patienceMs = 10_000;
const startAttempts = 4;

/** A database or cache that this process started and can start again on the same port. */
export interface EmbeddedServer {
  readonly url: string;
  readonly port: number;
  /** Of the present process; another one after a restart. */
  readonly pid: number;
  /** Calls back each time the server ends without having been asked to. */
  onUnexpectedExit(listener: (exit: ProcessExit) => void): void;
  /** Starts the server again on its port after it ended; resolves when it answers. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** What one kind of server must say about itself; {@link runEmbeddedServer} does the rest. */
export interface ServerKind {
  readonly name: string;
  readonly logFile: string;
  readonly stopSignals: readonly NodeJS.Signals[];
  urlAt(port: number): string;
  launch(port: number): Promise<ServerProcess>;
  /** Resolves to true when the server answers; false, or a rejection, when it does not yet. */
  answers(port: number): Promise<boolean>;
}

/**
 * Starts a server and waits until it answers. Without a given port it takes a free one, and another one when somebody
 * was faster.
 *
 * @throws one sentence with the end of the server's log when it does not come up.
 */
export async function runEmbeddedServer(kind: ServerKind, givenPort: number | undefined): Promise<EmbeddedServer> {
  const listeners: Array<(exit: ProcessExit) => void> = [];
  let stopping = false;

  async function start(port: number): Promise<ServerProcess> {
    const server = await kind.launch(port);
    const deadline = Date.now() + startTimeoutMs;
    while (!(await kind.answers(port).catch(() => false))) {
      if (server.hasExited())
        throw new Error(`${kind.name} did not start on port ${port}: ${await tailOf(kind.logFile)}`);
      if (Date.now() > deadline) {
        await server.stop(kind.stopSignals, patienceMs);
        throw new Error(
          `${kind.name} did not answer within ${startTimeoutMs / 1_000} s: ${await tailOf(kind.logFile)}`,
        );
      }
      await sleep(pollMs);
    }
    if (server.hasExited()) throw new Error(`Something else than ${kind.name} answers on port ${port}.`);
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
        // Whoever was faster may have gone again by now; the server's log still says why.
        const wasTaken = /address already in use/i.test(String(error)) || !(await isFree(port));
        if (attempt === startAttempts || !wasTaken) throw error;
      }
    }
  }

  /** What a killed server left behind (its sub-processes, its shared memory) takes a moment to go. */
  async function startAgain(port: number): Promise<ServerProcess> {
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
    throw new Error(`Port ${givenPort}, given for ${kind.name}, is taken.`);
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
      current = await startAgain(port);
    },
    async stop() {
      stopping = true;
      await current.stop(kind.stopSignals, patienceMs);
    },
  };
}

const tailBytes = 8_192;
const tailLines = 3;

/** The last lines of a log in one line, for a sentence about a server that did not start. */
export async function tailOf(logFile: string): Promise<string> {
  return (await lastLines(logFile)).slice(-tailLines).join(' / ') || 'it left no log';
}

/** What a service said on stderr when it could not start: the sentence under its name, or whatever error is last. */
export async function failureIn(logFile: string, name: string): Promise<string | undefined> {
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

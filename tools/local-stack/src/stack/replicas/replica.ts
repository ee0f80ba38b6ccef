import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { untilReady } from '../../processes/child-program.js';
import { findStartFailure } from '../../processes/embedded-server.js';
import { freePort, isFree } from '../../processes/free-port.js';
import type { Reaper } from '../../processes/reaper.js';
import { type ProcessExit, type ServerProcess, startServerProcess } from '../../processes/server-process.js';
import { imageCommand } from './image-command.js';
import type { ServiceKind } from './service-kinds.js';

const startAttempts = 4;
const startTimeoutMs = 60_000;
const readyTimeoutMs = 60_000;
const readyPollMs = 50;
const restartDelaysMs = [0, 250, 500, 1_000, 2_000, 5_000];

export interface ReplicaOptions {
  readonly kind: ServiceKind;
  /** 1-based. */
  readonly number: number;
  readonly env: NodeJS.ProcessEnv;
  /** Configured ports, by setting. Free ports are used for the rest. */
  readonly givenPorts: Readonly<Record<string, number>>;
  readonly host: string;
  readonly logs: string;
  readonly reaper: Reaper;
  /** If a graceful stop takes longer than this, the replica gets SIGKILL. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** A replica keeps its ports when it restarts. */
export interface Replica {
  readonly kind: ServiceKind;
  /** For example `api 2`. */
  readonly label: string;
  readonly pid: number;
  /** Origins by name, such as `{ api: 'http://127.0.0.1:18080', ops: … }`. */
  readonly addresses: Readonly<Record<string, string>>;
  onUnexpectedExit(listener: (exit: ProcessExit) => void): void;
  /** Retries until the service starts. Resolves once it is ready or has been stopped. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws StartError if the service doesn't start. By then, its process has exited. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { kind, number, givenPorts, patienceMs } = options;
  const label = `${kind.label} ${number}`;
  const image = imageCommand(kind.label);
  const logFile = path.join(options.logs, `${kind.label}-${number}.log`);
  const listeners: Array<(exit: ProcessExit) => void> = [];
  let service: ServerProcess | undefined;
  let pid = 0;
  let stopping = false;
  options.signal.addEventListener('abort', () => {
    stopping = true;
    service?.child.kill('SIGINT');
  });

  async function start(ports: Readonly<Record<string, number>>): Promise<void> {
    const portSettings = Object.entries(ports).map(([setting, port]) => [setting, String(port)]);
    const started = await startServerProcess(
      {
        command: process.execPath,
        args: [...image.options, image.main],
        env: { ...image.env, ...options.env, ...Object.fromEntries(portSettings) },
        logFile,
        hasChannel: true,
      },
      options.reaper,
    );
    service = started;
    if (stopping) started.child.kill('SIGINT');
    await waitForListening(started, kind.label, label, logFile);
    if (ports.OPS_PORT !== undefined) await waitForReadyz(buildOrigin(options.host, ports.OPS_PORT), label, started);
    pid = started.pid;
    void started.exited.then((exit) => {
      if (!stopping) for (const listener of listeners) listener(exit);
    });
  }

  /** Retries, because another process may take a port between the check and the start. */
  async function startOnFreePorts(): Promise<Record<string, number>> {
    for (let attempt = 1; ; attempt += 1) {
      const ports: Record<string, number> = {};
      for (const setting of Object.keys(kind.ports)) ports[setting] = givenPorts[setting] ?? (await freePort());
      try {
        await start(ports);
        return ports;
      } catch (error) {
        const freePorts = Object.entries(ports).filter(([setting]) => givenPorts[setting] === undefined);
        const taken = await Promise.all(freePorts.map(async ([, port]) => !(await isFree(port))));
        await stop(0);
        if (stopping || attempt === startAttempts || !taken.includes(true)) throw error;
      }
    }
  }

  async function stop(withinMs: number): Promise<void> {
    await service?.stop(['SIGINT'], withinMs);
  }

  const ports = await startOnFreePorts();

  return {
    kind,
    label,
    get pid() {
      return pid;
    },
    addresses: Object.fromEntries(
      Object.entries(kind.ports).map(([setting, name]) => [name, buildOrigin(options.host, ports[setting])]),
    ),
    onUnexpectedExit(listener) {
      listeners.push(listener);
    },
    async restart() {
      for (let attempt = 0; !stopping; attempt += 1) {
        await sleep(restartDelaysMs[Math.min(attempt, restartDelaysMs.length - 1)]);
        try {
          return await start(ports);
        } catch {
          // The service's database or Redis may be restarting too.
          await stop(0);
        }
      }
    },
    async stop() {
      stopping = true;
      await stop(patienceMs);
    },
  };
}

function buildOrigin(host: string, port: number | undefined): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function waitForListening(service: ServerProcess, name: string, label: string, logFile: string): Promise<void> {
  const timer = new AbortController();
  const timedOut = sleep(startTimeoutMs, 'timed out' as const, { signal: timer.signal }).catch(() => undefined);
  const outcome = await Promise.race([untilReady(service.child), timedOut]);
  timer.abort();
  if (outcome === 'timed out') throw new StartError(`${label} did not start within ${startTimeoutMs / 1_000} s.`);
  if (!outcome)
    throw new StartError((await findStartFailure(logFile, name)) ?? `${label} exited before it was listening.`);
}

async function waitForReadyz(operations: string, label: string, service: ServerProcess): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (let lastResponse = 'no response'; ; await sleep(readyPollMs)) {
    try {
      const response = await fetch(`${operations}/readyz`);
      lastResponse = await response.text();
      if (response.ok) return;
    } catch (error) {
      lastResponse = String(error);
    }
    if (service.hasExited()) throw new StartError(`${label} exited before it was ready.`);
    if (Date.now() > deadline)
      throw new StartError(`${label} is not ready after ${readyTimeoutMs / 1_000} s: ${lastResponse}`);
  }
}

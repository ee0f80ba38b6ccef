import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { stopChild } from '../../processes/child-program.js';
import { freePort, isFree } from '../../processes/free-port.js';
import type { Reaper } from '../../processes/reaper.js';
import type { ProcessExit } from '../../processes/server-process.js';
import { imageCommand } from './image-command.js';
import type { ServiceKind } from './service-kinds.js';
import { type ServiceProcess, startServiceProcess } from './service-process.js';

const startAttempts = 4;
const readyTimeoutMs = 60_000;
const readyPollMs = 50;
const restartDelaysMs = [0, 250, 500, 1_000, 2_000, 5_000];

export interface ReplicaOptions {
  readonly kind: ServiceKind;
  /** From 1. */
  readonly number: number;
  readonly env: NodeJS.ProcessEnv;
  /** Ports that were asked for by setting; free ones for the rest. */
  readonly givenPorts: Readonly<Record<string, number>>;
  readonly host: string;
  readonly logs: string;
  readonly reaper: Reaper;
  /** How long an ordered stop may take before SIGKILL. */
  readonly patienceMs: number;
  /** Cuts a start short, and ends the process. */
  readonly signal: AbortSignal;
}

/** One process of a service, on the same ports through all its restarts. */
export interface Replica {
  readonly kind: ServiceKind;
  /** `api 2` */
  readonly label: string;
  readonly pid: number;
  /** Origins by name: `{ api: 'http://127.0.0.1:18080', ops: … }`. */
  readonly addresses: Readonly<Record<string, string>>;
  onUnexpectedExit(listener: (exit: ProcessExit) => void): void;
  /** Starts it again, as often as it takes; resolves when it is ready, or when it was stopped meanwhile. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws StartError with one sentence when it does not start; nothing of it is left running then. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { kind, number, givenPorts, reaper, patienceMs } = options;
  const label = `${kind.label} ${number}`;
  const command = imageCommand(kind.label);
  const listeners: Array<(exit: ProcessExit) => void> = [];
  let child: ChildProcess | undefined;
  let stopping = false;
  options.signal.addEventListener('abort', () => {
    stopping = true;
    child?.kill('SIGINT');
  });

  async function start(ports: Readonly<Record<string, number>>): Promise<ServiceProcess> {
    const portSettings = Object.entries(ports).map(([setting, port]) => [setting, String(port)]);
    const service = await startServiceProcess(
      {
        name: kind.label,
        label,
        ...command,
        env: { ...command.env, ...options.env, ...Object.fromEntries(portSettings) },
        logFile: path.join(options.logs, `${kind.label}-${number}.log`),
      },
      reaper,
      (spawned) => {
        child = spawned;
        if (stopping) spawned.kill('SIGINT');
      },
    );
    if (ports.OPS_PORT !== undefined) await untilReady(originOf(options.host, ports.OPS_PORT), label, service);
    void service.exited.then((exit) => {
      if (!stopping) for (const listener of listeners) listener(exit);
    });
    return service;
  }

  /** Somebody may be faster with a port that was free a moment ago; then it is worth another try on another one. */
  async function startOnFreePorts(): Promise<{ ports: Record<string, number>; service: ServiceProcess }> {
    for (let attempt = 1; ; attempt += 1) {
      const ports: Record<string, number> = {};
      for (const setting of Object.keys(kind.ports)) ports[setting] = givenPorts[setting] ?? (await freePort());
      try {
        return { ports, service: await start(ports) };
      } catch (error) {
        const chosen = Object.entries(ports).filter(([setting]) => givenPorts[setting] === undefined);
        const lost = await Promise.all(chosen.map(async ([, port]) => !(await isFree(port))));
        if (child) await stopChild(child, 'SIGINT', 0);
        if (stopping || attempt === startAttempts || !lost.includes(true)) throw error;
      }
    }
  }

  const first = await startOnFreePorts();
  let current = first.service;

  return {
    kind,
    label,
    get pid() {
      return current.pid;
    },
    addresses: Object.fromEntries(
      Object.entries(kind.ports).map(([setting, name]) => [name, originOf(options.host, first.ports[setting])]),
    ),
    onUnexpectedExit(listener) {
      listeners.push(listener);
    },
    async restart() {
      for (let attempt = 0; !stopping; attempt += 1) {
        await sleep(restartDelaysMs[Math.min(attempt, restartDelaysMs.length - 1)]);
        try {
          current = await start(first.ports);
          return;
        } catch {
          // What it needs (a database, a Redis) may be on its way back too.
          if (child) await stopChild(child, 'SIGINT', 0);
        }
      }
    },
    async stop() {
      stopping = true;
      if (child) await stopChild(child, 'SIGINT', patienceMs);
    },
  };
}

function originOf(host: string, port: number | undefined): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function untilReady(operations: string, label: string, service: ServiceProcess): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  let exited = false;
  void service.exited.then(() => {
    exited = true;
  });
  for (let answer = 'no answer'; ; await sleep(readyPollMs)) {
    try {
      const response = await fetch(`${operations}/readyz`);
      answer = await response.text();
      if (response.ok) return;
    } catch (error) {
      answer = String(error);
    }
    if (exited) throw new StartError(`${label} ended before it was ready.`);
    if (Date.now() > deadline)
      throw new StartError(`${label} is not ready after ${readyTimeoutMs / 1_000} s: ${answer}`);
  }
}

import type { Reaper } from '../../processes/reaper.js';
import { type Environment, givenPorts } from '../environment.js';
import type { StackOptions } from '../options.js';
import { type Replica, startReplica } from './replica.js';
import { findKind, type ServiceKind, type ServiceName, serviceKinds } from './service-kinds.js';

export interface FleetOptions {
  readonly options: StackOptions;
  readonly environment: Environment;
  readonly host: string;
  readonly logs: string;
  readonly reaper: Reaper;
  readonly patienceMs: number;
  readonly onStarted: (replica: Replica) => void;
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #replicas = new Map<ServiceName, readonly Replica[]>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** @throws the StartError from the first replica that fails to start. */
  async start(names: readonly ServiceName[], settings: Readonly<Record<string, string>>): Promise<void> {
    const starting = Promise.all(names.map((name) => this.#startKind(findKind(name), settings)));
    this.#starting.add(starting);
    await starting;
  }

  of(name: ServiceName): readonly Replica[] {
    return this.#replicas.get(name) ?? [];
  }

  addresses(name: ServiceName, address: string): string[] {
    return this.of(name).map((replica) => replica.addresses[address] ?? '');
  }

  pids(name: ServiceName): number[] {
    return this.of(name).map((replica) => replica.pid);
  }

  abortStart(): void {
    this.#stop.abort();
  }

  /** Services that produce work stop before services that consume it. */
  async stop(): Promise<void> {
    this.abortStart();
    await Promise.allSettled(this.#starting);
    for (const kind of serviceKinds.toReversed()) {
      await Promise.all(this.of(kind.name).map((replica) => replica.stop()));
    }
  }

  async #startKind(kind: ServiceKind, settings: Readonly<Record<string, string>>): Promise<void> {
    const { options, environment, onStarted } = this.#options;
    const started: Replica[] = [];
    const starts = Array.from({ length: kind.replicas(options) }, async (_, index) => {
      const replica = await startReplica({
        kind,
        number: index + 1,
        env: { ...environment, ...settings },
        givenPorts: givenPorts(environment, kind, index + 1, this.#operationsIndex(kind, index)),
        host: this.#options.host,
        logs: this.#options.logs,
        reaper: this.#options.reaper,
        patienceMs: this.#options.patienceMs,
        signal: this.#stop.signal,
      });
      started[index] = replica;
      // Once registered, a replica gets stopped even if another one fails to start.
      this.#replicas.set(kind.name, started.filter(Boolean));
      onStarted(replica);
    });
    // `stop` waits for these starts, because they continue even after another one has failed.
    this.#starting.add(Promise.allSettled(starts));
    await Promise.all(starts);
  }

  #operationsIndex(kind: ServiceKind, index: number): number {
    const before = serviceKinds.slice(0, serviceKinds.indexOf(kind)).filter((other) => 'OPS_PORT' in other.ports);
    return before.reduce((count, other) => count + other.replicas(this.#options.options), index);
  }
}

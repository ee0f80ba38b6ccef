import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onAbort, sleep } from '../clock.js';
import { explainStartFailure, maskCredentials } from '../settings/start-failure.js';

interface Heap {
  /** Returns the CPU time since the last call, as a fraction of one core. */
  busy(): number;
  usedBytes(): number;
  collect(): void;
}

const CHECK_EVERY_MS = 1_000;
/** A 50 ms collection every 10 s delays about one request in 200. */
const CHECKS_BETWEEN = 10;
/** A collection takes 20 to 50 ms, which isn't worthwhile if the heap has grown by less than this. */
const MIN_GROWTH_BYTES = 4_000_000;
/** A fraction of one core. An idle service uses less than this. */
const QUIET_BELOW = 0.02;

/**
 * Returns a function that collects garbage while the service is quiet. Without this, V8 would wait until the heap has
 * doubled (docs/adr/0017).
 */
export function quietCollection({ busy, usedBytes, collect }: Heap): () => void {
  let checks = CHECKS_BETWEEN;
  let keptBytes = 0;
  let collectAgain = false;
  return () => {
    checks += 1;
    const isQuiet = busy() < QUIET_BELOW;
    if (!isQuiet || checks < CHECKS_BETWEEN) return;
    const hasGrown = usedBytes() - keptBytes >= MIN_GROWTH_BYTES;
    if (!hasGrown && !collectAgain) return;
    collect();
    checks = 0;
    keptBytes = usedBytes();
    // V8 only shrinks the young generation if little was allocated in the last 5 s, so collect a second time.
    collectAgain = hasGrown;
  };
}

function collectWhenQuiet(): void {
  // A process can only trigger a collection if this flag is set.
  setFlagsFromString('--expose-gc');
  const collect: (() => void) | undefined = runInNewContext('globalThis.gc');
  if (!collect) return;
  // Measure CPU time, because the event loop also seems busy while the process waits for a core.
  let [cpu, atMs] = [process.cpuUsage(), performance.now()];
  const collectIfQuiet = quietCollection({
    busy() {
      const { user, system } = process.cpuUsage(cpu);
      const elapsedMs = performance.now() - atMs;
      [cpu, atMs] = [process.cpuUsage(), performance.now()];
      return (user + system) / 1_000 / elapsedMs;
    },
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect,
  });
  setInterval(collectIfQuiet, CHECK_EVERY_MS).unref();
}

export interface LifecycleLog {
  info(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

export interface StartedService {
  /** Ports and hosts by name, such as `{ port: 8080 }`. They are logged and sent to the parent process. */
  readonly addresses: Readonly<Record<string, string | number>>;
  /** `forced` is aborted after 90% of the deadline. The service must then cancel its remaining work. */
  stop(forced: AbortSignal): Promise<void>;
  readonly log?: LifecycleLog;
  /** `SHUTDOWN_DEADLINE`. Default: 25 s. */
  readonly shutdownDeadlineMs?: number;
  /**
   * How long the service keeps serving requests after SIGTERM, while /readyz already fails (`SHUTDOWN_DELAY`). Default:
   * 0.
   */
  readonly lingerMs?: number;
}

export interface ServiceDefinition {
  readonly name: string;
  /** The signal is aborted at the first stop request, even while `start` is running. */
  start(signal: AbortSignal): Promise<StartedService>;
}

const DEFAULT_SHUTDOWN_DEADLINE_MS = 25_000;
const FORCED_AFTER = 0.9;

/** A single Ctrl-C may deliver the signal twice: once from the terminal and once from npm. */
const SAME_REQUEST_MS = 200;

const LOG_FLUSH_MS = 1_000;

const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a service until a stop is requested, then ends the process.
 *
 * ```
 * starting ──start() resolves──▶ running ──SIGTERM, SIGINT, parent gone──▶ stopping ──▶ exit 0
 *    │ start() rejects: one sentence on stderr, exit 1                          │ deadline exceeded, or stop() failed: exit 1
 *    │ stop requested while starting: stops when start() resolves              │ the same signal again: exit 128 + n
 * ```
 * If the stop was caused by SIGINT or by the parent process exiting, the `lingerMs` delay is skipped. An uncaught
 * exception ends the process with exit code 1, because the process is then in an unknown state.
 */
export function runService(service: ServiceDefinition): void {
  const stopRequest = new AbortController();
  let log: LifecycleLog = stderrLog(service.name);
  let firstSignal: { readonly signal: keyof typeof EXIT_BY_SIGNAL; readonly atMs: number } | undefined;

  const skipLinger = new AbortController();

  const onSignal = (signal: keyof typeof EXIT_BY_SIGNAL) => {
    const atMs = performance.now();
    if (firstSignal?.signal === signal && atMs - firstSignal.atMs >= SAME_REQUEST_MS)
      process.exit(EXIT_BY_SIGNAL[signal]);
    firstSignal ??= { signal, atMs };
    if (signal === 'SIGINT') skipLinger.abort();
    stopRequest.abort(new Error(`received ${signal}`));
  };
  process.on('SIGTERM', () => onSignal('SIGTERM'));
  process.on('SIGINT', () => onSignal('SIGINT'));
  // A parent process that is killed sends no signal, but its IPC channel closes.
  const onParentGone = () => {
    skipLinger.abort();
    stopRequest.abort(new Error('the parent process exited'));
  };
  process.on('disconnect', onParentGone);
  // The parent process may have exited while this process was loading its modules.
  if (process.send && !process.connected) onParentGone();

  // Wait for the write callback, because process.exit() drops unwritten log lines.
  const exitAfterLog = (code: number) =>
    setImmediate(() => {
      setTimeout(() => process.exit(code), LOG_FLUSH_MS);
      process.stdout.write('', () => process.exit(code));
    });

  const onFatal = (error: unknown) => {
    log.error('process.crashed', { error });
    exitAfterLog(1);
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);

  async function run(): Promise<void> {
    const started = await service.start(stopRequest.signal);
    log = started.log ?? log;
    if (!stopRequest.signal.aborted) {
      log.info('service.started', { ...started.addresses });
      if (process.connected) process.send?.({ type: 'ready', addresses: started.addresses });
      collectWhenQuiet();
      await new Promise<void>((resolve) => void onAbort(stopRequest.signal, () => resolve()));
    }
    await stop(started);
  }

  async function stop(started: StartedService): Promise<void> {
    const deadlineMs = started.shutdownDeadlineMs ?? DEFAULT_SHUTDOWN_DEADLINE_MS;
    const beganAtMs = performance.now();
    log.info('service.stopping', { reason: String(stopRequest.signal.reason?.message), deadlineMs });
    const forced = new AbortController();
    setTimeout(() => forced.abort(), deadlineMs * FORCED_AFTER);
    setTimeout(() => {
      log.error('service.stop_timed_out', { deadlineMs });
      exitAfterLog(1);
    }, deadlineMs);
    try {
      await sleep(started.lingerMs ?? 0, skipLinger.signal).catch(() => undefined);
      await started.stop(forced.signal);
      log.info('service.stopped', { durationMs: Math.round(performance.now() - beganAtMs) });
      exitAfterLog(0);
    } catch (error) {
      log.error('service.stop_failed', { error });
      exitAfterLog(1);
    }
  }

  run().catch((error: unknown) => {
    if (stopRequest.signal.aborted) {
      process.exit(0);
      return;
    }
    const { sentence, known } = explainStartFailure(error);
    process.stderr.write(`${service.name}: ${sentence}\n`);
    if (!known && error instanceof Error && error.stack) process.stderr.write(`${maskCredentials(error.stack)}\n`);
    process.exit(1);
  });
}

function stderrLog(name: string): LifecycleLog {
  return {
    info: () => undefined,
    error: (event, fields) => {
      const { error, ...rest } = fields ?? {};
      const text = error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error ?? rest);
      process.stderr.write(`${name}: ${event} ${maskCredentials(text)}\n`);
    },
  };
}

export interface StopStep {
  readonly name: string;
  stop(): Promise<unknown>;
}

/** Runs the steps one after another, even if some fail. */
export async function stopInOrder(steps: readonly StopStep[]): Promise<void> {
  const failures: Error[] = [];
  for (const step of steps) {
    try {
      await step.stop();
    } catch (cause) {
      failures.push(new Error(`${step.name} did not stop cleanly`, { cause }));
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) {
    throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '));
  }
}

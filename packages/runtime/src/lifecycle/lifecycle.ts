import { onAbort } from '../abort.js';
import { sleep } from '../clock.js';
import { explainStartFailure, maskCredentials } from '../settings/start-failure.js';
import { collectWhenQuiet } from './quiet-collection.js';

/** The part of a logger that the lifecycle needs. */
export interface LifecycleLog {
  info(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
}

export interface StartedService {
  /** What it listens on, by name, sent to the parent process when there is one: `{ port: 8080, opsPort: 9090 }`. */
  readonly addresses: Readonly<Record<string, string | number>>;
  /**
   * Stops in order. `forced` is aborted when nine tenths of the deadline are over: what still runs should be cut then, so
   * that there is time left to close the rest.
   */
  stop(forced: AbortSignal): Promise<void>;
  readonly log?: LifecycleLog;
  /** `SHUTDOWN_DEADLINE`; 25 s unless given. */
  readonly shutdownDeadlineMs?: number;
  /**
   * `SHUTDOWN_DELAY`, for services that others connect to: how long it goes on serving after SIGTERM as if nothing had
   * happened, but for its readiness. Those who send it requests look at that now and then, not all the time.
   */
  readonly lingerMs?: number;
}

export interface ServiceDefinition {
  readonly name: string;
  /** The signal is aborted at the first request to stop, even while `start` runs: readiness turns false with it. */
  start(signal: AbortSignal): Promise<StartedService>;
}

const DEFAULT_SHUTDOWN_DEADLINE_MS = 25_000;
const FORCED_AFTER = 0.9;

/** npm and a terminal both pass on one Ctrl-C: the same signal again within this time is the same request. */
const SAME_REQUEST_MS = 200;

/** How long the end of a process waits for who reads its log. */
const LAST_LINES_MS = 1_000;

const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a service until it is told to stop, then ends the process.
 *
 * ```
 * starting ──start() resolves──▶ running ──SIGTERM, SIGINT, parent gone──▶ stopping ──▶ exit 0
 *    │ start() rejects: one sentence on stderr, exit 1                          │ deadline over, or stop() failed: exit 1
 *    │ told to stop meanwhile: stops as soon as the start has ended             │ the same signal again: exit 128 + n
 * ```
 * SIGTERM comes from what hands out the requests too (an orchestrator), so the service lingers first; SIGINT and the end
 * of the parent come from somebody who wants it gone.
 *
 * An unhandled rejection or an uncaught exception is logged and ends the process with 1: its state is not known any more.
 */
export function runService(service: ServiceDefinition): void {
  const stopRequest = new AbortController();
  let log: LifecycleLog = stderrLog(service.name);
  let firstSignal: { readonly signal: keyof typeof EXIT_BY_SIGNAL; readonly atMs: number } | undefined;

  const atOnce = new AbortController();

  const onSignal = (signal: keyof typeof EXIT_BY_SIGNAL) => {
    const atMs = performance.now();
    if (firstSignal?.signal === signal && atMs - firstSignal.atMs >= SAME_REQUEST_MS)
      process.exit(EXIT_BY_SIGNAL[signal]);
    firstSignal ??= { signal, atMs };
    if (signal === 'SIGINT') atOnce.abort();
    stopRequest.abort(new Error(`told to stop by ${signal}`));
  };
  process.on('SIGTERM', () => onSignal('SIGTERM'));
  process.on('SIGINT', () => onSignal('SIGINT'));
  // A parent that was killed cannot send a signal, but its end closes the channel.
  const onParentGone = () => {
    atOnce.abort();
    stopRequest.abort(new Error('told to stop by the end of the parent process'));
  };
  process.on('disconnect', onParentGone);
  // It may have ended while this process was still loading its modules.
  if (process.send && !process.connected) onParentGone();

  // A logger that writes through streams hands its last lines on before the event loop's next turn. What its reader has not
  // taken yet, when a pipe is full, stays in the stream, and process.exit() drops it.
  const exitAfterLog = (code: number) =>
    setImmediate(() => {
      setTimeout(() => process.exit(code), LAST_LINES_MS);
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
      await sleep(started.lingerMs ?? 0, atOnce.signal).catch(() => undefined);
      await started.stop(forced.signal);
      log.info('service.stopped', { durationMs: Math.round(performance.now() - beganAtMs) });
      exitAfterLog(0);
    } catch (error) {
      log.error('service.stop_failed', { error });
      exitAfterLog(1);
    }
  }

  run().catch((error: unknown) => {
    // A start that was cut short because it was told to stop has not failed.
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

/** Until the service hands over its logger only trouble is worth a line. */
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

/**
 * Stops parts one after the other, in the order given (take nothing new, finish what runs, close what it ran on). A part
 * that fails does not keep the later ones from being stopped; what failed is thrown at the end, each with its name.
 */
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

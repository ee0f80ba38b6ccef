import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** What a program of the house says to its parent once it listens. */
export interface ReadyWord {
  readonly addresses: Readonly<Record<string, string | number>>;
}

/** Resolves when the program says that it is ready; with undefined when it ends before. */
export function untilReady(child: ChildProcess): Promise<ReadyWord | undefined> {
  return Promise.race([
    once(child, 'message').then(([word]) => word as ReadyWord),
    once(child, 'close').then(() => undefined),
  ]);
}

/** Sends the signal, and SIGKILL when that was not enough; resolves with the exit code when the child is gone. */
export async function stopChild(
  child: ChildProcess,
  signal: NodeJS.Signals,
  patienceMs: number,
): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    await exited;
    clearTimeout(timer);
  }
  return child.exitCode;
}

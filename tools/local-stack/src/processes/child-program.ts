import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface ReadyMessage {
  readonly addresses: Readonly<Record<string, string | number>>;
}

/** Resolves with undefined if the program exits first. */
export function untilReady(child: ChildProcess): Promise<ReadyMessage | undefined> {
  return Promise.race([
    once(child, 'message').then(([message]) => message as ReadyMessage),
    once(child, 'close').then(() => undefined),
  ]);
}

/** Sends SIGKILL after `patienceMs`. Resolves with the exit code. */
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

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type ReaperOrder =
  | { readonly kind: 'watch-process'; readonly pid: number }
  | { readonly kind: 'forget-process'; readonly pid: number }
  | { readonly kind: 'watch-directory'; readonly directory: string }
  | { readonly kind: 'forget-directory'; readonly directory: string };

/**
 * A small process beside this one that outlives it, however it ends (SIGKILL, a crash, the out-of-memory killer): when
 * the channel between the two closes, it ends the servers and removes the directories that it knows. Programs
 * that are not Node cannot notice by themselves that their parent is gone.
 */
export interface Reaper {
  watchProcess(pid: number): void;
  forgetProcess(pid: number): void;
  watchDirectory(directory: string): void;
  forgetDirectory(directory: string): void;
  /** Ends what is still watched, and the reaper; resolves when it is gone. */
  close(): Promise<void>;
}

export function openReaper(): Reaper {
  const child: ChildProcess = fork(fileURLToPath(new URL('./reaper-main.js', import.meta.url)), [], {
    // A group of its own: Ctrl-C in a terminal, or a signal to the whole group, must not end the reaper first.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  const gone = once(child, 'exit');
  child.unref();
  child.channel?.unref();
  // A reaper that was killed can be sent nothing more; the servers are then ended by their owner alone.
  child.on('error', () => undefined);

  const send = (order: ReaperOrder) => {
    if (child.connected) child.send(order, () => undefined);
  };
  return {
    watchProcess: (pid) => send({ kind: 'watch-process', pid }),
    forgetProcess: (pid) => send({ kind: 'forget-process', pid }),
    watchDirectory: (directory) => send({ kind: 'watch-directory', directory }),
    forgetDirectory: (directory) => send({ kind: 'forget-directory', directory }),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type ReaperOrder =
  | { readonly kind: 'watch-process'; readonly pid: number }
  | { readonly kind: 'forget-process'; readonly pid: number }
  | { readonly kind: 'watch-directory'; readonly directory: string }
  | { readonly kind: 'forget-directory'; readonly directory: string };

/**
 * The reaper outlives this process, even if it gets SIGKILL, and then stops the servers that this process started.
 * PostgreSQL and Redis don't notice when their parent process exits.
 */
export interface Reaper {
  watchProcess(pid: number): void;
  forgetProcess(pid: number): void;
  watchDirectory(directory: string): void;
  forgetDirectory(directory: string): void;
  close(): Promise<void>;
}

export function openReaper(): Reaper {
  const child: ChildProcess = fork(fileURLToPath(new URL('./reaper-main.js', import.meta.url)), [], {
    // A separate process group protects the reaper from Ctrl-C.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  const gone = once(child, 'exit');
  child.unref();
  child.channel?.unref();
  // Ignores errors from a killed reaper, because this process also stops the servers.
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

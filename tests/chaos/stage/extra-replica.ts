import { fork } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { stopChild, untilReady } from '@artist-watch/local-stack/processes/child-program';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';

const clock = new URL('./stepped-clock.mjs', import.meta.url).href;

export interface ExtraReplica {
  readonly pid: number;
  /** A negative time sets the replica's clock behind the machine's clock. */
  stepClock(byMs: number): void;
  stop(): Promise<void>;
}

/** The replica ends with this process. */
export async function startExtraReplica(
  { env, logsDirectory }: ReadyState,
  program: string,
  offsetMs: number,
): Promise<ExtraReplica> {
  const child = fork(program, [], {
    env: { ...process.env, ...env, LOG_LEVEL: 'info', CLOCK_OFFSET_MS: String(offsetMs) },
    execArgv: ['--import', clock],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = createWriteStream(`${logsDirectory}/extra-${child.pid}.log`);
  child.stdout?.pipe(log);
  child.stderr?.pipe(log);
  if (!(await untilReady(child))) throw new Error(`The additional ${program} did not start.`);
  return {
    pid: child.pid as number,
    stepClock: (byMs) => void child.send({ type: 'step-clock', byMs }),
    stop: async () => void (await stopChild(child, 'SIGTERM', 15_000)),
  };
}

import { until } from '@artist-watch/harness/until';
import type { OwnService } from '@artist-watch/local-stack/stack/ready-file';
import { findKind } from '@artist-watch/local-stack/stack/replicas/service-kinds';
import type { ChaosStack } from './chaos-stack.js';

const deadlineMs = 90_000;

export interface Descent {
  readonly label: string;
  /** True if /readyz reported that the replica was stopping before it ended. */
  readonly saidUnready: boolean;
  readonly how: string;
}

/** Sends SIGTERM, as a rollout does. Resolves when a new process is ready. */
export async function restartReplica(stack: ChaosStack, name: OwnService, index: number): Promise<Descent> {
  const { pids, opsUrls } = await stack.state();
  const pid = pids[name][index] ?? -1;
  const label = `${findKind(name).label} ${index + 1}`;
  const reportedBefore = stack.process.output().length;
  let saidUnready = false;
  process.kill(pid, 'SIGTERM');
  await until(
    `another ${label}`,
    async () => {
      if (!saidUnready) saidUnready = await isStopping(opsUrls[name][index] ?? '');
      return (await stack.state()).pids[name][index] !== pid;
    },
    deadlineMs,
  );
  const printed = stack.process.output().slice(reportedBefore);
  return {
    label,
    saidUnready,
    how: new RegExp(`${label} ((?:was killed|exited) [^.]*)\\.`).exec(printed)?.[1] ?? 'in silence',
  };
}

async function isStopping(opsUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(1_000) });
    const { stopping = false } = (await response.json()) as { readonly stopping?: boolean };
    return response.status === 503 && stopping;
  } catch {
    return false;
  }
}

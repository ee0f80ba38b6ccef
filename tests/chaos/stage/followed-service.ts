import { setTimeout as sleep } from 'node:timers/promises';

/** A replica, as those who send it requests see it. */
export interface FollowedReplica {
  readonly url: string;
  readonly opsUrl: string;
}

/** The replicas of a service behind one name, as behind a Service of Kubernetes. */
export interface FollowedService {
  /** Where the next request goes: the replicas in turn that were ready a while ago. */
  next(): string;
  /** Ends the following. */
  stop(): Promise<void>;
}

const lookEveryMs = 100;
const lookTimeoutMs = 1_000;
/** From a replica that is not ready any more to the last request that is sent to it. */
const lagMs = 1_000;

/** Follows the readiness of replicas that are all ready now. */
export function followReadiness(replicas: readonly FollowedReplica[]): FollowedService {
  const stopped = new AbortController();
  const used = new Set(replicas);
  const changes = new Set<NodeJS.Timeout>();
  let turn = 0;

  async function follow(replica: FollowedReplica): Promise<void> {
    let wasReady = true;
    while (!stopped.signal.aborted) {
      const isReady = await readyz(replica.opsUrl);
      if (isReady !== wasReady) {
        const change = setTimeout(() => {
          changes.delete(change);
          if (isReady) used.add(replica);
          else used.delete(replica);
        }, lagMs);
        changes.add(change);
      }
      wasReady = isReady;
      await sleep(lookEveryMs);
    }
  }
  const following = Promise.all(replicas.map(follow));

  return {
    next() {
      const candidates = [...used];
      const replica = candidates[turn++ % candidates.length];
      if (!replica) throw new Error('No replica is ready.');
      return replica.url;
    },
    async stop() {
      stopped.abort();
      await following;
      for (const change of changes) clearTimeout(change);
    },
  };
}

async function readyz(opsUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(lookTimeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

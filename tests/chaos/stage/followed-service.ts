import { setTimeout as sleep } from 'node:timers/promises';

export interface FollowedReplica {
  readonly url: string;
  readonly opsUrl: string;
}

/** Clients see the replicas behind one name, as with a Kubernetes Service. */
export interface FollowedService {
  /** Rotates through the replicas that were ready a while ago. */
  next(): string;
  stop(): Promise<void>;
}

const lookEveryMs = 100;
const lookTimeoutMs = 1_000;
/** A replica still gets requests for this long after it becomes unready. */
const lagMs = 1_000;

/** All replicas must be ready at the start. */
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

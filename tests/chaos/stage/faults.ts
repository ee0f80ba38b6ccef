import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryJob } from '@artist-watch/contracts/jobs';
import { DEFAULT_KEY_PREFIX, DELIVERY_QUEUE } from '@artist-watch/delivery/queue/delivery-queue';
import { until } from '@artist-watch/harness/until';
import type { OwnService } from '@artist-watch/local-stack/stack/ready-file';
import type { Fault } from '../ledger/entries.js';
import type { Ledger } from '../ledger/ledger.js';
import { type ChaosStack, untilDataServersAnswer } from './chaos-stack.js';
import { freeze, isUp, kill, thaw, withChildren } from './processes.js';

/** Each function resolves when the fault is over, and adds it to the ledger. */
export interface Faults {
  suffer(plan: Plan): Promise<void>;
  /** Does nothing if the replica is not running. */
  killReplica(name: OwnService, index: number): Promise<void>;
  /** Stops one replica with SIGSTOP for a while, then resumes it. */
  freezeReplica(name: OwnService, index: number, durationMs: number): Promise<void>;
  flushRedis(): Promise<void>;
  /** `pattern` matches the part of a key after the queue's name. */
  evict(what: string, pattern: string): Promise<void>;
  /** The stack restarts the server. A restarted Redis is empty. */
  killServer(name: 'redis' | 'postgres'): Promise<void>;
  freezeServer(name: 'redis' | 'postgres', durationMs: number): Promise<void>;
  freezeAndKillServer(name: 'redis' | 'postgres', durationMs: number): Promise<void>;
}

export interface Plan {
  readonly what: string;
  readonly effects: readonly ('handover' | 'outage' | 'loss')[];
  /** Returns false if there was nothing to apply the fault to. */
  begin(): Promise<boolean> | boolean;
  lasts?(): Promise<void>;
  /** True if workers keep claiming deliveries during the fault. */
  readonly keepsTaking?: boolean;
}

const lookEveryMs = 300;
const queueKey = `${DEFAULT_KEY_PREFIX}:${DELIVERY_QUEUE}`;
const activeKey = `${queueKey}:active`;

export function openFaults(stack: ChaosStack, ledger: Ledger): Faults {
  const { pool, redis } = stack;

  async function suffer({ what, effects, begin, lasts, keepsTaking = false }: Plan): Promise<void> {
    const before = await inHand();
    const fromMs = Date.now();
    if (!(await begin())) return;
    // This read finds deliveries that were claimed between the first read and the fault.
    const during = inHandOnceAnswered();
    const ended = new AbortController();
    const taken = keepsTaking ? inHandUntil(ended.signal) : undefined;
    await lasts?.();
    ended.abort();
    const untilMs = Date.now();
    const { ids: after, waited } = await during;
    // A resumed PostgreSQL first executes the statements that arrived while it was frozen.
    const late = waited ? await sleep(1_000).then(inHand) : [];
    const fault: Fault = {
      what,
      fromMs,
      untilMs,
      effects: new Set(effects),
      inHand: new Set([...(before ?? []), ...after, ...(late ?? []), ...((await taken) ?? [])]),
    };
    ledger.faults.push(fault);
  }

  /** Also returns deliveries of active jobs, which may be settled. Undefined if PostgreSQL does not respond. */
  async function inHand(): Promise<readonly string[] | undefined> {
    const text = `SELECT id FROM deliveries WHERE state = 'pending' AND claimed_until > clock_timestamp()`;
    const claimed = pool.query<{ id: string }>(text).then(
      ({ rows }) => rows.map(({ id }) => id),
      () => undefined,
    );
    const taken = deliveriesOfActiveJobs().catch((): string[] => []);
    const ids = await Promise.race([claimed, sleep(1_000).then(() => undefined)]);
    return ids && [...ids, ...(await taken)];
  }

  async function deliveriesOfActiveJobs(): Promise<string[]> {
    const jobs = await redis.lrange(activeKey, 0, -1);
    const data = await Promise.all(jobs.map((job) => redis.hget(`${queueKey}:${job}`, 'data')));
    return data.flatMap((text) => (JSON.parse(text ?? '{}') as Partial<DeliveryJob>).deliveryIds ?? []);
  }

  /** The deliveries of a stopped process usually stay claimed for longer than PostgreSQL is down. */
  async function inHandOnceAnswered(): Promise<{ readonly ids: readonly string[]; readonly waited: boolean }> {
    for (let waited = false; ; waited = true) {
      const ids = await inHand();
      if (ids) return { ids, waited };
      await sleep(lookEveryMs);
    }
  }

  async function inHandUntil(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    while (!signal.aborted) {
      for (const id of (await inHand()) ?? []) ids.add(id);
      await sleep(lookEveryMs);
    }
    return ids;
  }

  async function pidOf(name: OwnService, index: number): Promise<number> {
    return (await stack.state()).pids[name][index] ?? -1;
  }

  async function serverPid(name: 'redis' | 'postgres'): Promise<number> {
    return (await stack.state()).pids[name] ?? -1;
  }

  function killByPid(name: 'redis' | 'postgres', pid: number): boolean {
    return kill(pid, programOf(name));
  }

  /** Stopping change-ingest can't cause duplicate requests, but nothing works without its last replica. */
  async function effectsOn(name: OwnService, index: number): Promise<Plan['effects']> {
    const pids = (await stack.state()).pids[name];
    const isLast = !pids.some((pid, other) => other !== index && isUp(pid));
    // A mailer processes no deliveries.
    if (name === 'dashboard') return [];
    return [...(name === 'changeIngest' ? [] : (['handover'] as const)), ...(isLast ? (['outage'] as const) : [])];
  }

  return {
    suffer,

    async killReplica(name, index) {
      const pid = await pidOf(name, index);
      const effects = await effectsOn(name, index);
      await suffer({
        what: `${name} ${index + 1} killed`,
        effects,
        begin: () => kill(pid, stack.programOf(name)),
        async lasts() {
          if (!effects.includes('outage')) return;
          await until(`another ${name}`, async () => (await pidOf(name, index)) !== pid, 90_000);
        },
      });
    },

    async freezeReplica(name, index, durationMs) {
      const pid = await pidOf(name, index);
      await suffer({
        what: `${name} ${index + 1} frozen for ${durationMs} ms`,
        effects: await effectsOn(name, index),
        keepsTaking: name === 'egressProxy',
        ...frozen(() => [pid], stack.programOf(name), durationMs),
      });
    },

    flushRedis: () =>
      suffer({
        what: 'Redis flushed',
        effects: ['loss'],
        begin: async () => (await redis.flushall()) === 'OK',
      }),

    evict: (what, pattern) =>
      suffer({
        what: `${what} evicted`,
        effects: ['loss', 'handover'],
        async begin() {
          const keys = await redis.keys(`${queueKey}:${pattern}`);
          return keys.length > 0 && (await redis.del(...keys)) > 0;
        },
      }),

    async killServer(name) {
      const pid = await serverPid(name);
      await suffer({
        what: `${name} killed`,
        effects: effectsOf(name),
        begin: () => killByPid(name, pid),
        lasts: () => back(name, pid),
      });
    },

    async freezeServer(name, durationMs) {
      const pid = await serverPid(name);
      await suffer({
        what: `${name} frozen for ${durationMs} ms`,
        effects: effectsOf(name),
        ...frozen(() => pidsOf(name, pid), programOf(name), durationMs, {
          afterwards: () => untilDataServersAnswer(stack),
        }),
      });
    },

    async freezeAndKillServer(name, durationMs) {
      const pid = await serverPid(name);
      await suffer({
        what: `${name} frozen for ${durationMs} ms and killed`,
        effects: effectsOf(name),
        ...frozen(() => pidsOf(name, pid), programOf(name), durationMs, {
          atTheEnd: () => killByPid(name, pid),
          afterwards: () => back(name, pid),
        }),
      });
    },
  };

  async function back(name: 'redis' | 'postgres', killedPid: number): Promise<void> {
    await until(`another ${name}`, async () => (await serverPid(name)) !== killedPid, 90_000);
    await untilDataServersAnswer(stack);
  }
}

function frozen(
  pids: () => readonly number[],
  command: string,
  durationMs: number,
  { atTheEnd, afterwards }: { readonly atTheEnd?: () => unknown; readonly afterwards?: () => Promise<void> } = {},
): Pick<Plan, 'begin' | 'lasts'> {
  let stopped: readonly number[] = [];
  return {
    begin() {
      stopped = freeze(pids(), command);
      return stopped.length > 0;
    },
    async lasts() {
      await sleep(durationMs);
      atTheEnd?.();
      thaw(stopped);
      await afterwards?.();
    },
  };
}

function pidsOf(name: 'redis' | 'postgres', pid: number): readonly number[] {
  return name === 'postgres' ? withChildren(pid) : [pid];
}

function programOf(name: 'redis' | 'postgres'): string {
  return name === 'redis' ? 'redis-server' : 'postgres';
}

/** A settlement on its way to PostgreSQL can be lost. When Redis is killed, the queue is lost. */
function effectsOf(name: 'redis' | 'postgres'): Plan['effects'] {
  return name === 'redis' ? ['outage', 'loss'] : ['outage', 'handover'];
}

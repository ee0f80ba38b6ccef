import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryJob } from '@artist-watch/contracts/jobs';
import { DEFAULT_KEY_PREFIX, DELIVERY_QUEUE } from '@artist-watch/delivery/queue/delivery-queue';
import { until } from '@artist-watch/harness/until';
import type { OwnService } from '@artist-watch/local-stack/stack/ready-file';
import type { Fault } from '../ledger/entries.js';
import type { Ledger } from '../ledger/ledger.js';
import { type ChaosStack, untilDataServersAnswer } from './chaos-stack.js';
import { freeze, isUp, kill, thaw, withChildren } from './processes.js';

/** What can be done to the system. Each resolves when it is over, and stands in the ledger then. */
export interface Faults {
  /** Anything else, written down in the same way. */
  suffer(plan: Plan): Promise<void>;
  /** Ends one replica by SIGKILL. Nothing happens when it is not up. */
  killReplica(name: OwnService, index: number): Promise<void>;
  /** Stops one replica for a while by SIGSTOP, and lets it go on. */
  freezeReplica(name: OwnService, index: number, durationMs: number): Promise<void>;
  flushRedis(): Promise<void>;
  /** Deletes keys of the queue; `pattern` is of what follows its name. */
  evict(what: string, pattern: string): Promise<void>;
  /** Ends Redis or PostgreSQL by SIGKILL; it comes back by itself, Redis empty. */
  killServer(name: 'redis' | 'postgres'): Promise<void>;
  freezeServer(name: 'redis' | 'postgres', durationMs: number): Promise<void>;
  /** Ends a server that has been frozen for a while. */
  freezeAndKillServer(name: 'redis' | 'postgres', durationMs: number): Promise<void>;
}

export interface Plan {
  readonly what: string;
  readonly effects: readonly ('handover' | 'outage' | 'loss')[];
  /** Does it; answers false when there was nothing to do it to. */
  begin(): Promise<boolean> | boolean;
  /** Resolves when it is over. */
  lasts?(): Promise<void>;
  /** Does what is affected go on taking deliveries in hand while it lasts? */
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
    // What was taken between the look and the deed is seen by a second look.
    const during = inHandOnceAnswered();
    const ended = new AbortController();
    const taken = keepsTaking ? inHandUntil(ended.signal) : undefined;
    await lasts?.();
    ended.abort();
    const untilMs = Date.now();
    const { ids: after, waited } = await during;
    // A PostgreSQL that resumes first runs the statements that arrived while it was frozen, for callers who have long given up.
    const late = waited ? await sleep(1_000).then(inHand) : [];
    const fault: Fault = {
      what,
      fromMs,
      untilMs,
      effects: new Set(effects),
      inHand: new Set([...(before ?? []), ...after, ...(late ?? []), ...((await taken) ?? [])]),
    };
    ledger.suffer(fault);
  }

  /**
   * Deliveries that are claimed by some worker, or whose job one has taken (it may have settled and not yet put off its
   * job); undefined while PostgreSQL does not answer.
   */
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

  /** What a process had in hand when it was taken away stays claimed for longer than PostgreSQL is away as a rule. */
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

  /** Change-ingest has nothing in hand that a receiver could see twice; without its last replica nothing moves. */
  async function effectsOn(name: OwnService, index: number): Promise<Plan['effects']> {
    const pids = (await stack.state()).pids[name];
    const isLast = !pids.some((pid, other) => other !== index && isUp(pid));
    // A mailer has no delivery in hand.
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

/** Stops the processes, and lets them go on after a while. */
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

/** A settlement that is on its way to PostgreSQL may not arrive; what Redis knew is gone with it. */
function effectsOf(name: 'redis' | 'postgres'): Plan['effects'] {
  return name === 'redis' ? ['outage', 'loss'] : ['outage', 'handover'];
}

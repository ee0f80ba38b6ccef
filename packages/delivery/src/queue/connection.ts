import { type ChainableCommander, Cluster, type Command, Redis, type RedisOptions } from 'ioredis';

/** Longest pause between two attempts to reach Redis again: it comes back soon after Redis does. */
const RECONNECT_PAUSE_MS = 500;

const DEFAULT_PORT = 6379;

const reconnect: RedisOptions = {
  retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_PAUSE_MS),
  // A Redis that is gone without a word keeps its connections open: ask on those that are idle whether anybody is there.
  keepAlive: 5_000,
  connectTimeout: 3_000,
};

/** Long enough for all answers of one pipeline to come, each of which would ask for the same. */
const FOLLOW_AGAIN_MS = 50;

/** A primary that became a replica keeps its connections and refuses every write: its name may lead to the new one. */
function followPrimary(): Pick<RedisOptions, 'reconnectOnError'> {
  let followedAtMs = Number.NEGATIVE_INFINITY;
  return {
    reconnectOnError({ message }) {
      if (!/\b(?:READONLY|UNBLOCKED)\b/.test(message)) return false;
      const nowMs = performance.now();
      if (nowMs - followedAtMs < FOLLOW_AGAIN_MS) return false;
      followedAtMs = nowMs;
      return true;
    },
  };
}

/**
 * How long a server that owes answers may say nothing. The callers of commands have given up by then, and other workers have
 * this one's jobs; but a worker is patient, since the answers of a Redis that was only frozen still hand it jobs.
 */
const LONGEST_SILENCE_MS = { ofCommands: 10_000, ofWorkers: 30_000 };
const LOOKS_IN_A_SILENCE = 5;

/**
 * Connects anew when the server has owed answers for `silentMs` and said nothing. A machine that is gone without a word
 * resets no connection. Linux asks whether anybody is there only while nothing is on its way, and otherwise sends it again
 * for a quarter of an hour (tcp_retries2, https://docs.kernel.org/networking/ip-sysctl.html).
 *
 * It counts looks, and no time: a process that was frozen reads what had arrived before it looks again.
 */
function leaveWhenSilent(redis: Redis, silentMs: number): void {
  redis.on('connect', () => {
    const { stream } = redis;
    let bytesRead = 0;
    let silentLooks = 0;
    const looking = setInterval(() => {
      const isSilent = redis.commandQueue.length > 0 && stream.bytesRead === bytesRead;
      bytesRead = stream.bytesRead;
      silentLooks = isSilent ? silentLooks + 1 : 0;
      if (silentLooks > LOOKS_IN_A_SILENCE) stream.destroy();
    }, silentMs / LOOKS_IN_A_SILENCE).unref();
    stream.once('close', () => clearInterval(looking));
  });
}

/** One Redis, or a cluster of them. */
export type RedisConnection = Redis | Cluster;

/** `redis+cluster://host:6379?node=host2:6379`, or `rediss+cluster://` for TLS: the nodes to ask where the keys are. */
export function isClusterUrl(redisUrl: string): boolean {
  return /^rediss?\+cluster:/.test(redisUrl);
}

/** What callers who must hear at once that Redis is away ask of a connection. */
function failFast({ commandTimeoutMs = 2_000 }: { readonly commandTimeoutMs?: number }): RedisOptions {
  return { ...reconnect, enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: commandTimeoutMs };
}

/**
 * For callers who must hear at once that Redis is away (a relay that will try again, a request that has another way):
 * commands fail instead of waiting for a connection.
 */
export function openCommandConnection(redisUrl: string, options: { readonly commandTimeoutMs?: number } = {}): Redis {
  return openOne(redisUrl, failFast(options), LONGEST_SILENCE_MS.ofCommands);
}

/** The same, for the delivery queue, which a cluster can carry too. */
export function openQueueCommandConnection(redisUrl: string): RedisConnection {
  if (!isClusterUrl(redisUrl)) return openCommandConnection(redisUrl);
  return openCluster(redisUrl, failFast({}), LONGEST_SILENCE_MS.ofCommands);
}

/** For BullMQ's workers, which block on Redis and wait for it for as long as it takes. */
export function openWorkerConnection(redisUrl: string): RedisConnection {
  const options = { ...reconnect, maxRetriesPerRequest: null };
  const open = isClusterUrl(redisUrl) ? openCluster : openOne;
  return open(redisUrl, options, LONGEST_SILENCE_MS.ofWorkers);
}

function openOne(redisUrl: string, options: RedisOptions, silentMs: number): Redis {
  const redis = quiet(new GatheringRedis(redisUrl, { ...options, ...followPrimary() }));
  leaveWhenSilent(redis, silentMs);
  return redis;
}

/**
 * Writes the commands of one turn of the event loop in one piece. A batch of settlements ends many jobs at once, each with a
 * command of its own; ioredis makes a system call of each, and Redis two more. Its own `enableAutoPipelining` did not pay
 * (docs/adr/0012).
 */
class GatheringRedis extends Redis {
  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    const { stream: socket } = this;
    if (socket && socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    return super.sendCommand(command, stream);
  }
}

function openCluster(redisUrl: string, options: RedisOptions, silentMs: number): Cluster {
  const { protocol, hostname, port, username, password, searchParams } = new URL(redisUrl);
  const nodes = [`${hostname}:${port || DEFAULT_PORT}`, ...searchParams.getAll('node')].map((node) => {
    const { hostname: host, port: nodePort } = new URL(`redis://${node}`);
    return { host, port: Number(nodePort || DEFAULT_PORT) };
  });
  const withTls = protocol === 'rediss+cluster:';
  const cluster = quiet(
    new Cluster(nodes, {
      enableOfflineQueue: options.enableOfflineQueue ?? true,
      clusterRetryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_PAUSE_MS),
      slotsRefreshTimeout: 3_000,
      // A certificate is for the name of a node, not for the address that the name has.
      ...(withTls ? { dnsLookup: (address, done) => done(null, address) } : {}),
      redisOptions: {
        ...options,
        ...(username ? { username: decodeURIComponent(username) } : {}),
        ...(password ? { password: decodeURIComponent(password) } : {}),
        ...(withTls ? { tls: {} } : {}),
      },
    }),
  );
  cluster.on('+node', (node: Redis) => leaveWhenSilent(node, silentMs));
  return cluster;
}

/** Commands report their own failures and readiness asks by PING; without a listener ioredis prints on stderr. */
function quiet<Connection extends RedisConnection>(redis: Connection): Connection {
  redis.on('error', () => undefined);
  return redis;
}

/** Can it take commands now? */
export function isUp(redis: RedisConnection): boolean {
  return redis.status === 'ready';
}

/** Resolves when the connection can take commands; rejects after `timeoutMs` or when the connection was closed. */
export async function whenReady(redis: RedisConnection, timeoutMs: number): Promise<void> {
  if (isUp(redis)) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => done(new Error('Redis did not answer in time.')), timeoutMs);
    const done = (error?: Error) => {
      clearTimeout(timer);
      redis.off('ready', onReady).off('end', onEnd);
      if (error) reject(error);
      else resolve();
    };
    const onReady = () => done();
    const onEnd = () => done(new Error('The connection to Redis was closed.'));
    redis.on('ready', onReady).on('end', onEnd);
  });
}

/** What TIME answers: seconds since 1970, and microseconds; numbers or texts, as the connection is set up. */
export type RedisTime = readonly (number | string)[];

/** In milliseconds since 1970. */
export function toMs([seconds, microseconds]: RedisTime): number {
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** BullMQ sorts delayed jobs by the millisecond at which they wake and, below that, by order of arrival. */
export const SCORES_PER_MS = 0x1000;

/** @throws what the first command threw that failed. */
export async function answersOf(commands: ChainableCommander): Promise<unknown[]> {
  return ((await commands.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}

import { type Command, Redis, type RedisOptions } from 'ioredis';

/**
 * Longest pause between two connection attempts. It is short, so that the process reconnects soon after Redis is back.
 */
const MAX_RECONNECT_PAUSE_MS = 500;

const reconnect: RedisOptions = {
  retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RECONNECT_PAUSE_MS),
  // TCP keepalive detects idle connections to a Redis that disappeared without closing them.
  keepAlive: 5_000,
  connectTimeout: 3_000,
};

/**
 * Minimum time between two reconnects. All error responses of one pipeline arrive within this time, and one reconnect
 * is enough for all of them.
 */
const MIN_RECONNECT_INTERVAL_MS = 50;

/**
 * Reconnects after a failover. A primary that became a replica keeps its connections and rejects writes, but its host
 * name may already resolve to the new primary.
 */
function reconnectToPrimary(): Pick<RedisOptions, 'reconnectOnError'> {
  let reconnectedAtMs = Number.NEGATIVE_INFINITY;
  return {
    reconnectOnError({ message }) {
      if (!/\b(?:READONLY|UNBLOCKED)\b/.test(message)) return false;
      const nowMs = performance.now();
      if (nowMs - reconnectedAtMs < MIN_RECONNECT_INTERVAL_MS) return false;
      reconnectedAtMs = nowMs;
      return true;
    },
  };
}

/**
 * How long a connection may receive nothing while responses are outstanding, before it reconnects. By then, callers of
 * commands have timed out, and other workers have taken over a worker's jobs (within 22.5 s). The limit for workers is
 * higher, because late responses of a frozen Redis can still contain jobs.
 */
const MAX_SILENCE_MS = { commands: 10_000, workers: 30_000 };
const CHECKS_PER_SILENCE = 5;

/**
 * Reconnects if responses are outstanding and the server sends nothing for `silentMs`. A machine that disappears does
 * not reset its connections, and TCP keepalive works only on idle connections. Without this check, Linux would
 * retransmit for about 15 minutes (tcp_retries2, https://docs.kernel.org/networking/ip-sysctl.html).
 *
 * The function counts checks instead of measuring time. After a freeze, the process then reads the data that arrived in
 * the meantime before its next check.
 */
function reconnectWhenSilent(redis: Redis, silentMs: number): void {
  redis.on('connect', () => {
    const { stream } = redis;
    let bytesRead = 0;
    let silentChecks = 0;
    const timer = setInterval(() => {
      const isSilent = redis.commandQueue.length > 0 && stream.bytesRead === bytesRead;
      bytesRead = stream.bytesRead;
      silentChecks = isSilent ? silentChecks + 1 : 0;
      if (silentChecks > CHECKS_PER_SILENCE) stream.destroy();
    }, silentMs / CHECKS_PER_SILENCE).unref();
    stream.once('close', () => clearInterval(timer));
  });
}

/**
 * Opens a connection whose commands fail immediately if Redis is unavailable, instead of waiting for it. It is meant
 * for callers that retry or have a fallback.
 */
export function openCommandConnection(redisUrl: string, options: { readonly commandTimeoutMs?: number } = {}): Redis {
  const { commandTimeoutMs: commandTimeout = 2_000 } = options;
  const failFast = { ...reconnect, enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout };
  return open(redisUrl, failFast, MAX_SILENCE_MS.commands);
}

/** Opens a connection for BullMQ's workers, which wait for Redis without a limit. */
export function openWorkerConnection(redisUrl: string): Redis {
  return open(redisUrl, { ...reconnect, maxRetriesPerRequest: null }, MAX_SILENCE_MS.workers);
}

function open(redisUrl: string, options: RedisOptions, silentMs: number): Redis {
  const redis = ignoreErrors(new GatheringRedis(redisUrl, { ...options, ...reconnectToPrimary() }));
  reconnectWhenSilent(redis, silentMs);
  return redis;
}

/**
 * Writes all commands of one event loop iteration together. A batch of settlements ends many jobs, each with a separate
 * command. For each command, ioredis would make one system call, and Redis two more. ioredis's `enableAutoPipelining`
 * was slower (docs/adr/0043).
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

/**
 * Ignores connection errors, because each failed command reports its own error. Without a listener, ioredis would write
 * the errors to stderr.
 */
function ignoreErrors(redis: Redis): Redis {
  redis.on('error', () => undefined);
  return redis;
}

/** True if the connection accepts commands. */
export function isUp(redis: Redis): boolean {
  return redis.status === 'ready';
}

/** Resolves when the connection accepts commands. Rejects after `timeoutMs`, or if the connection was closed. */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (isUp(redis)) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => done(new Error('Redis did not respond in time.')), timeoutMs);
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

/**
 * The response to the TIME command: seconds since 1970 and microseconds, as numbers or strings depending on the
 * connection.
 */
export type RedisTime = readonly (number | string)[];

/** Converts a response to the TIME command to milliseconds since 1970. */
export function toMs([seconds, microseconds]: RedisTime): number {
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/**
 * BullMQ multiplies the due time of a delayed job, in milliseconds, by this factor and adds a number for the order of
 * arrival. The sum is the job's score.
 */
export const SCORES_PER_MS = 0x1000;

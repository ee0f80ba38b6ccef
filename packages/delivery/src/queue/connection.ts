import { type Logger, throttled } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import { monotonicMs, within } from '@artist-watch/runtime/clock';
import { type Command, Redis, type RedisOptions } from 'ioredis';

const MAX_RECONNECT_PAUSE_MS = 500;

/** Error responses from one pipeline all arrive within this time, and must trigger only one reconnect. */
const MIN_RECONNECT_INTERVAL_MS = 50;

/** Workers have a longer timeout, because late responses from a frozen Redis can contain jobs. */
const MAX_SILENCE_MS = { commands: 10_000, workers: 30_000 };
const CHECKS_PER_SILENCE = 5;

/**
 * Reconnects if a command is pending and Redis sends nothing for `silentMs`. Otherwise Linux would retransmit for about
 * 15 minutes (tcp_retries2, https://docs.kernel.org/networking/ip-sysctl.html). Counts checks rather than elapsed time,
 * so that a process that was frozen can read buffered data before it reconnects.
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

/** Opens a connection whose commands fail immediately if Redis is unavailable. */
export function openCommandConnection(redisUrl: string, { commandTimeoutMs = 2_000 } = {}): Redis {
  const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: commandTimeoutMs };
  return open(redisUrl, failFast, MAX_SILENCE_MS.commands);
}

/** Opens a connection whose commands wait for Redis indefinitely, as BullMQ's workers require. */
export function openWorkerConnection(redisUrl: string): Redis {
  return open(redisUrl, { maxRetriesPerRequest: null }, MAX_SILENCE_MS.workers);
}

function open(redisUrl: string, options: RedisOptions, silentMs: number): Redis {
  let reconnectedAtMs = Number.NEGATIVE_INFINITY;
  const redis = new GatheringRedis(redisUrl, {
    ...options,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RECONNECT_PAUSE_MS),
    // Keepalive detects that Redis disappeared while the connection was idle.
    keepAlive: 5_000,
    connectTimeout: 3_000,
    // Reconnect when Redis rejects writes, because a demoted primary keeps its connections open.
    reconnectOnError({ message }) {
      if (!/\b(?:READONLY|UNBLOCKED)\b/.test(message)) return false;
      const nowMs = performance.now();
      if (nowMs - reconnectedAtMs < MIN_RECONNECT_INTERVAL_MS) return false;
      reconnectedAtMs = nowMs;
      return true;
    },
  });
  // Failed commands already report connection errors. Without a listener, ioredis would also write them to stderr.
  redis.on('error', () => undefined);
  reconnectWhenSilent(redis, silentMs);
  return redis;
}

/**
 * Writes all commands from one event loop iteration in a single system call. ioredis's `enableAutoPipelining` was
 * slower (docs/adr/0043).
 */
class GatheringRedis extends Redis {
  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    const { stream: socket } = this;
    const { reject } = command;
    command.reject = (error) => reject(clarified(error));
    if (socket && socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    return super.sendCommand(command, stream);
  }
}

/** ioredis's messages for these errors do not mention Redis. */
function clarified(error: Error): Error {
  if (error.message === 'Command timed out') return new Error('Redis did not respond in time.');
  const isLost = error.name === 'MaxRetriesPerRequestError' || error.message.startsWith("Stream isn't writeable");
  return isLost ? new Error('No connection to Redis.') : error;
}

export function isUp(redis: Redis): boolean {
  return redis.status === 'ready';
}

/** Rejects if the operation takes longer than `ms`. */
export function inTime<Result>(ms: number, operation: Promise<Result>): Promise<Result> {
  return within(ms, operation, () => {
    throw new Error('Redis did not respond in time.');
  });
}

/** Resolves when Redis accepts commands. */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (!isUp(redis)) await inTime(timeoutMs, new Promise((resolve) => redis.once('ready', resolve)));
}

const PING_TIMEOUT_MS = 1_000;

/** Reports `artist_watch_redis_up`, and logs at most one connection loss and one recovery every 10 s. */
export function monitorRedis(
  redis: Redis,
  { url, log, metrics }: { readonly url: string; readonly log: Logger; readonly metrics: Metrics },
): void {
  const server = new URL(url).host;
  let lostAtMs: number | undefined;
  let isLogged = false;
  const logLoss = throttled(() => {
    isLogged = true;
    log.warn('redis.connection_lost', { server });
  }, monotonicMs);
  // ioredis also emits `close` after each failed reconnect, so a long outage is always logged.
  redis.on('close', () => {
    // `disconnect` and `quit` set this status.
    if (redis.status === 'end') return;
    lostAtMs ??= performance.now();
    if (!isLogged) logLoss(undefined);
  });
  redis.on('ready', () => {
    if (isLogged && lostAtMs !== undefined) {
      log.info('redis.connection_restored', { server, lostMs: Math.round(performance.now() - lostAtMs) });
    }
    lostAtMs = undefined;
    isLogged = false;
  });
  metrics.gauge({
    name: 'artist_watch_redis_up',
    help: '1 if Redis responds to this process within 1 s, otherwise 0.',
    collect: async (gauge) => gauge.set((await responds(redis)) ? 1 : 0),
  });
}

/** A frozen Redis keeps its connections open, so checking the connection is not enough. */
async function responds(redis: Redis): Promise<boolean> {
  if (!isUp(redis)) return false;
  const ping = redis.ping().then(
    () => true,
    () => false,
  );
  return within(PING_TIMEOUT_MS, ping, () => false);
}

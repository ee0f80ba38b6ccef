import { type Command, Redis, type RedisOptions } from 'ioredis';

/** Longest pause between two attempts to reach Redis again: it comes back soon after Redis does. */
const RECONNECT_PAUSE_MS = 500;

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

/**
 * For callers who must hear at once that Redis is away (a relay that will try again, a request that has another way):
 * commands fail instead of waiting for a connection.
 */
export function openCommandConnection(redisUrl: string, options: { readonly commandTimeoutMs?: number } = {}): Redis {
  const { commandTimeoutMs: commandTimeout = 2_000 } = options;
  const failFast = { ...reconnect, enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout };
  return open(redisUrl, failFast, LONGEST_SILENCE_MS.ofCommands);
}

/** For BullMQ's workers, which block on Redis and wait for it for as long as it takes. */
export function openWorkerConnection(redisUrl: string): Redis {
  return open(redisUrl, { ...reconnect, maxRetriesPerRequest: null }, LONGEST_SILENCE_MS.ofWorkers);
}

function open(redisUrl: string, options: RedisOptions, silentMs: number): Redis {
  const redis = quiet(new GatheringRedis(redisUrl, { ...options, ...followPrimary() }));
  leaveWhenSilent(redis, silentMs);
  return redis;
}

/**
 * Writes the commands of one turn of the event loop in one piece. A batch of settlements ends many jobs at once, each with a
 * command of its own; ioredis makes a system call of each, and Redis two more. Its own `enableAutoPipelining` did not pay
 * (docs/adr/0043).
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

/** Commands report their own failures and readiness asks by PING; without a listener ioredis prints on stderr. */
function quiet(redis: Redis): Redis {
  redis.on('error', () => undefined);
  return redis;
}

/** Can it take commands now? */
export function isUp(redis: Redis): boolean {
  return redis.status === 'ready';
}

/** Resolves when the connection can take commands; rejects after `timeoutMs` or when the connection was closed. */
export async function whenReady(redis: Redis, timeoutMs: number): Promise<void> {
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

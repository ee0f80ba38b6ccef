import type { Redis } from 'ioredis';

/** All replicas share one budget per platform (docs/reference/detection.md). */
export interface RequestBudget {
  /**
   * Resolves when the requests may be sent.
   * @param account the budget is divided fairly between accounts
   * @throws the signal's reason when aborted; PlatformError of kind `quota` if the wait is too long
   */
  take(requests: number, signal: AbortSignal, urgency?: RequestUrgency, account?: string): Promise<void>;
  /** Pauses all requests, but never shortens an earlier pause. */
  penalise(retryAfterMs: number): Promise<void>;
}

export interface BudgetRules {
  readonly limit: number;
  /** The limit applies to every window of this length, whenever the window starts. */
  readonly windowMs: number;
  /** Maximum number of requests in one burst. Requests after the burst are sent at an even rate. */
  readonly burst: number;
}

/**
 * Deezer documents 50 requests per IP address in 5 s, but in a test it started to reject them at about the 37th. Our
 * limit is a little lower, because requests do not arrive evenly.
 */
export const DEEZER_BUDGET: BudgetRules = { limit: 34, windowMs: 5_000, burst: 6 };

/** Spotify does not publish its limit. This is the one we observed for apps in development mode. */
export const SPOTIFY_BUDGET: BudgetRules = { limit: 90, windowMs: 30_000, burst: 10 };

/** `close` requests read details of new artists. `spare` requests fail if no budget remains. */
export type RequestUrgency = 'due' | 'close' | 'spare';

/** Times are in milliseconds on a monotonic clock. */
export interface TokenBucket {
  readonly tokens: number;
  readonly filledAtMs: number;
}

export function fullBucket(rules: BudgetRules, nowMs: number): TokenBucket {
  return { tokens: rules.burst, filledAtMs: nowMs };
}

/**
 * Grants at most `limit` tokens in any window, because the bucket refills at (limit - burst) per window.
 * @param reserve tokens that must stay in the bucket
 * @returns the new bucket, or the milliseconds until there are enough tokens
 */
export function takeTokens(
  rules: BudgetRules,
  bucket: TokenBucket,
  tokens: number,
  nowMs: number,
  reserve = 0,
): { readonly granted: TokenBucket } | { readonly waitMs: number } {
  const perMs = fillRate(rules);
  // During a penalty, `filledAtMs` is when the penalty ends.
  const passedMs = Math.max(0, nowMs - bucket.filledAtMs);
  const available = Math.min(rules.burst, bucket.tokens + passedMs * perMs);
  if (nowMs >= bucket.filledAtMs && available >= tokens + reserve) {
    return { granted: { tokens: available - tokens, filledAtMs: nowMs } };
  }
  const untilFilling = Math.max(0, bucket.filledAtMs - nowMs);
  return { waitMs: untilFilling + Math.max(0, Math.ceil((tokens + reserve - available) / perMs)) };
}

/** Empties the bucket, so that no burst follows the penalty. */
export function penalisedBucket(bucket: TokenBucket, retryAfterMs: number, nowMs: number): TokenBucket {
  const untilMs = nowMs + retryAfterMs;
  return untilMs > bucket.filledAtMs ? { tokens: 0, filledAtMs: untilMs } : { ...bucket, tokens: 0 };
}

/** Returns tokens per millisecond. @throws RangeError if the burst is not below the limit */
export function fillRate({ limit, burst, windowMs }: BudgetRules): number {
  if (burst < 1 || burst >= limit)
    throw new RangeError(`A burst must be at least 1 and below the limit of ${limit}, not ${burst}.`);
  return (limit - burst) / windowMs;
}

export interface BucketStore {
  /**
   * @param wanted the tokens that each caller wants, in order
   * @returns how many callers got their tokens, and how many milliseconds the next caller must wait
   */
  take(wanted: readonly number[], reserve: number): Promise<{ readonly granted: number; readonly waitMs: number }>;
  /** Returns the milliseconds until the penalty ends, including any earlier penalty. */
  penalise(retryAfterMs: number): Promise<number>;
}

export function processBucket(rules: BudgetRules): BucketStore {
  let bucket = fullBucket(rules, performance.now());
  return {
    async take(wanted, reserve) {
      for (const [granted, tokens] of wanted.entries()) {
        const outcome = takeTokens(rules, bucket, tokens, performance.now(), reserve);
        if ('waitMs' in outcome) return { granted, waitMs: outcome.waitMs };
        bucket = outcome.granted;
      }
      return { granted: wanted.length, waitMs: 0 };
    },
    async penalise(retryAfterMs) {
      const nowMs = performance.now();
      bucket = penalisedBucket(bucket, retryAfterMs, nowMs);
      return bucket.filledAtMs - nowMs;
    },
  };
}

/** Uses Redis's clock, because the replicas' clocks differ. */
const TAKE = `
-- KEYS[1]  hash of the bucket: "tokens" is the number of tokens after the last call, and
--          "filled" is the time of that call in ms on the clock of Redis, or the end of a pause.
--          A pause lasts at most "asked" ms. If "filled" is further ahead, the clock was set back.
-- ARGV[1]  limit: requests in any window     ARGV[2]  window in ms     ARGV[3]  burst
-- ARGV[4]  requests to leave in the bucket
-- ARGV[5…] requests that each waiting caller wants, in order
-- returns  { number of callers granted, ms until the next one is granted (0: all are) }
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window, burst, reserve = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local perMs = (limit - burst) / window
local stored = redis.call('HMGET', KEYS[1], 'tokens', 'filled', 'asked')
local tokens = tonumber(stored[1]) or burst
local filled = tonumber(stored[2]) or now
if now > filled or filled - now > (tonumber(stored[3]) or 0) then
  tokens = math.min(burst, tokens + math.max(0, now - filled) * perMs)
  filled = now
end
local granted, waitMs = 0, 0
for i = 5, #ARGV do
  local wanted = tonumber(ARGV[i])
  if filled > now or tokens < wanted + reserve then
    waitMs = (filled - now) + math.max(1, math.ceil((wanted + reserve - tokens) / perMs))
    break
  end
  tokens = tokens - wanted
  granted = granted + 1
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'filled', string.format('%d', filled))
redis.call('PEXPIRE', KEYS[1], (filled - now) + window * 2)
return { granted, waitMs }
`;

const PENALISE = `
-- KEYS[1]  hash of the bucket, as above
-- ARGV[1]  ms for which nothing is granted    ARGV[2]  window in ms
-- returns  ms until something is granted, never less than an earlier penalty requires
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('HMGET', KEYS[1], 'filled', 'asked')
local left = (tonumber(stored[1]) or 0) - now
if left > (tonumber(stored[2]) or 0) then left = 0 end
local filled = now + math.max(tonumber(ARGV[1]), left)
redis.call('HSET', KEYS[1], 'tokens', '0', 'filled', string.format('%d', filled), 'asked', string.format('%d', filled - now))
redis.call('PEXPIRE', KEYS[1], (filled - now) + tonumber(ARGV[2]) * 2)
return filled - now
`;

interface BudgetCommands {
  takeFromBudget(key: string, ...numbers: number[]): Promise<[granted: number, waitMs: number]>;
  penaliseBudget(key: string, retryAfterMs: number, windowMs: number): Promise<number>;
}

/** Returns the bucket that all replicas share. */
export function redisBucket(redis: Redis, key: string, rules: BudgetRules): BucketStore {
  redis.defineCommand('takeFromBudget', { numberOfKeys: 1, lua: TAKE });
  redis.defineCommand('penaliseBudget', { numberOfKeys: 1, lua: PENALISE });
  const commands = redis as unknown as BudgetCommands;
  const { limit, windowMs, burst } = rules;
  return {
    async take(wanted, reserve) {
      const [granted, waitMs] = await commands.takeFromBudget(key, limit, windowMs, burst, reserve, ...wanted);
      return { granted, waitMs };
    },
    penalise: (retryAfterMs) => commands.penaliseBudget(key, Math.ceil(retryAfterMs), windowMs),
  };
}

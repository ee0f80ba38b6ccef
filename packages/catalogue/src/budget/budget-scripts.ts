import type { Redis } from 'ioredis';
import type { BudgetRules } from './request-budget.js';
import type { BucketStore } from './token-bucket.js';

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

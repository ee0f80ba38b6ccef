import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Principal } from '@artist-watch/domain/account/actor';
import { isWellFormedApiKey, isWellFormedFeedToken } from '@artist-watch/domain/account/credentials';
import type { AccountId } from '@artist-watch/domain/ids';
import type { HolderCache } from '@artist-watch/http/limit/holder-cache';
import type { SeenUsage } from '@artist-watch/persistence/account/usage-store';
import type { Clock } from '@artist-watch/runtime/clock';

/** Counts requests per account per day. If the process is killed, anything counted since the last write is lost. */
export class UsageCount {
  #days = new Map<string, Map<AccountId, number>>();
  #keys = new Map<Principal['keyId'], Date>();

  count({ accountId, keyId }: Principal, at: Date): void {
    this.#add(accountId, at.toISOString().slice(0, 10), 1);
    this.#keys.set(keyId, at);
  }

  /** If a write fails, the counts are included in the next one. */
  async write(record: (seen: SeenUsage) => Promise<void>): Promise<void> {
    const [days, keys] = [this.#days, this.#keys];
    if (keys.size === 0) return;
    [this.#days, this.#keys] = [new Map(), new Map()];
    const requests = [...days].flatMap(([day, accounts]) =>
      [...accounts].map(([accountId, count]) => ({ accountId, day, count })),
    );
    try {
      await record({ requests, keys: [...keys].map(([keyId, lastUsedAt]) => ({ keyId, lastUsedAt })) });
    } catch (error) {
      for (const { accountId, day, count } of requests) this.#add(accountId, day, count);
      for (const [keyId, at] of keys) if (!this.#keys.has(keyId)) this.#keys.set(keyId, at);
      throw error;
    }
  }

  #add(accountId: AccountId, day: string, count: number): void {
    const accounts = this.#days.get(day) ?? new Map<AccountId, number>();
    this.#days.set(day, accounts);
    accounts.set(accountId, (accounts.get(accountId) ?? 0) + count);
  }
}

export type Authentication = ReturnType<typeof createAuthentication>;

export function createAuthentication(keys: HolderCache<Principal>, feedTokens: HolderCache<Principal>, clock: Clock) {
  return {
    /**
     * @param secret the bearer token, if the request has one
     * @throws ApiError `unauthorized` if the API key is missing or malformed. The promise rejects with the same
     * error if the key is unknown or expired, and with DirectoryUnavailable if the key cannot be looked up.
     */
    identify(secret: string | undefined): Promise<Principal> {
      if (secret === undefined) {
        throw new ApiError('unauthorized', 'Send an API key as "Authorization: Bearer <API_KEY>".', {
          headers: { 'WWW-Authenticate': CHALLENGE },
        });
      }
      if (!isWellFormedApiKey(secret)) throw unknownSecret('API key');
      return requireUnexpired(requireHolder(keys.findHolder(secret), 'API key'), clock);
    },

    /** @throws ApiError `unauthorized`, DirectoryUnavailable */
    identifyFeed(token: string): Promise<Principal> {
      if (!isWellFormedFeedToken(token)) throw unknownSecret('feed token');
      return requireHolder(feedTokens.findHolder(token), 'feed token');
    },
  };
}

async function requireHolder(lookup: Promise<Principal | undefined>, what: string): Promise<Principal> {
  const principal = await lookup;
  if (principal) return principal;
  throw unknownSecret(what);
}

/** The key may have expired after the cache looked it up. */
async function requireUnexpired(holder: Promise<Principal>, clock: Clock): Promise<Principal> {
  const principal = await holder;
  const { expiresAt } = principal;
  if (!expiresAt || expiresAt > clock.now()) return principal;
  throw invalidToken(`This API key expired at ${expiresAt.toISOString()}. Create a new one.`);
}

function unknownSecret(what: string): ApiError {
  return invalidToken(`This ${what} is unknown or was revoked.`);
}

function invalidToken(message: string): ApiError {
  return new ApiError('unauthorized', message, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

/** RFC 6750, section 3, requires at least one parameter, and allows `error` only if the request has a token. */
const CHALLENGE = 'Bearer realm="artist-watch"';

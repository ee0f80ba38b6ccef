import { hash } from 'node:crypto';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Principal } from '@artist-watch/domain/account/actor';
import { isWellFormedApiKey, isWellFormedFeedToken } from '@artist-watch/domain/account/api-key';
import type { Gate } from '@artist-watch/runtime/gate';
import { LRUCache } from 'lru-cache';

export type Authentication = ReturnType<typeof createAuthentication>;

/** Finds out whose request it is (docs/reference/api.md). */
export function createAuthentication(keys: ApiKeyCache, feedTokens: ApiKeyCache) {
  return {
    /**
     * @param secret what the request brought as its bearer token; undefined when it brought none.
     * @throws ApiError `unauthorized`, KeyDirectoryAway. A key with a typing error is refused without asking anybody.
     */
    async identify(secret: string | undefined): Promise<Principal> {
      if (secret === undefined) {
        throw new ApiError('unauthorized', 'Send an API key as "Authorization: Bearer <API_KEY>".', {
          headers: { 'WWW-Authenticate': CHALLENGE },
        });
      }
      const principal = isWellFormedApiKey(secret) ? await keys.principalOf(secret) : undefined;
      if (principal) return principal;
      throw unknown('API key');
    },

    /** Whose feed a request asks for, by its token. @throws ApiError `unauthorized`, KeyDirectoryAway */
    async identifyFeed(token: string): Promise<Principal> {
      const principal = isWellFormedFeedToken(token) ? await feedTokens.principalOf(token) : undefined;
      if (principal) return principal;
      throw unknown('feed token');
    },
  };
}

function unknown(what: string): ApiError {
  return new ApiError('unauthorized', `This ${what} is unknown or was revoked.`, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

/** RFC 6750 section 3: the scheme, at least one parameter, and `error` only when a token was brought. */
const CHALLENGE = 'Bearer realm="artist-watch"';

/** Where keys are looked up. Rejects when it cannot tell. */
export interface KeyDirectory {
  findPrincipal(secretSha256: Uint8Array): Promise<Principal | undefined>;
}

export interface ApiKeyCacheOptions {
  readonly directory: KeyDirectory;
  /** For how long an answer of the directory is believed, counted from when it was asked. */
  readonly maxAgeMs: number;
  /** Of keys that somebody holds, and as many again of those that nobody holds. */
  readonly maxKeys: number;
  /** Who asks for a key that was not held when it was last asked for passes it, and may be refused. */
  readonly strangers: Gate;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** The directory could not tell whose key it is. */
export class KeyDirectoryAway extends Error {
  override readonly name = 'KeyDirectoryAway';

  constructor(
    /** Whose it was when it was last known; for nothing but the headers of the answer. */
    readonly lastPrincipal: Principal | undefined,
    cause: unknown,
  ) {
    super('The directory of keys did not answer.', { cause });
  }
}

interface CachedKey {
  readonly principal: Principal | undefined;
  readonly askedAtMs: number;
}

/** The part of `maxAgeMs` after which the directory is asked again, while what is known still holds. */
const ASK_AGAIN_AT = 2 / 3;

/**
 * Remembers for a moment whose key is whose, keys that nobody holds too, so that a busy key costs one look-up a moment
 * and not one a request; nor does a request with a busy key wait for it, which the slowest 1 in 100 would show. A key that
 * is revoked is refused `maxAgeMs` later at the latest, on every replica by itself.
 *
 * Anybody can make up keys whose check sum is right. They take no place from keys that are held, and few look-ups at once.
 */
export class ApiKeyCache {
  readonly #options: ApiKeyCacheOptions;
  readonly #held: LRUCache<string, CachedKey>;
  readonly #unheld: LRUCache<string, CachedKey>;
  readonly #asking = new Map<string, Promise<Principal | undefined>>();

  constructor(options: ApiKeyCacheOptions) {
    this.#options = options;
    // By size, though each counts for one: `max` would take the memory of all keys at the start, 3 MB.
    const bounds = { maxSize: options.maxKeys, sizeCalculation: () => 1 };
    this.#held = new LRUCache(bounds);
    this.#unheld = new LRUCache(bounds);
  }

  /** @throws KeyDirectoryAway */
  async principalOf(secret: string): Promise<Principal | undefined> {
    // The directory and this cache know a key by its digest only; whose digest it is cannot be told from how long it takes.
    const digest = hash('sha256', secret, 'base64');
    const known = this.#held.get(digest) ?? this.#unheld.get(digest);
    const ageMs = known ? this.#options.monotonicMs() - known.askedAtMs : Number.POSITIVE_INFINITY;
    if (known && ageMs < this.#options.maxAgeMs) {
      // A failure is for the request that cannot do without the answer.
      if (ageMs >= this.#options.maxAgeMs * ASK_AGAIN_AT) this.#askOnce(digest).catch(() => undefined);
      return known.principal;
    }
    try {
      return await this.#askOnce(digest);
    } catch (error) {
      throw new KeyDirectoryAway(known?.principal, error);
    }
  }

  /** Whoever asks while the same question is out waits for its answer. */
  #askOnce(digest: string): Promise<Principal | undefined> {
    let asking = this.#asking.get(digest);
    if (!asking) {
      asking = this.#ask(digest).finally(() => this.#asking.delete(digest));
      this.#asking.set(digest, asking);
    }
    return asking;
  }

  async #ask(digest: string): Promise<Principal | undefined> {
    const { directory, strangers, monotonicMs } = this.#options;
    const lookUp = async (): Promise<CachedKey> => {
      const askedAtMs = monotonicMs();
      return { principal: await directory.findPrincipal(Buffer.from(digest, 'base64')), askedAtMs };
    };
    const found = await (this.#held.has(digest) ? lookUp() : strangers.run(lookUp));
    const [into, outOf] = found.principal ? [this.#held, this.#unheld] : [this.#unheld, this.#held];
    into.set(digest, found);
    outOf.delete(digest);
    return found.principal;
  }
}

import { hash } from 'node:crypto';
import { Gate } from '@artist-watch/runtime/gate';
import { LRUCache } from 'lru-cache';

/** Finds the holder of a secret, such as the account of an API key. Rejects if the lookup fails. */
export interface Directory<Holder> {
  findHolder(secretSha256: Uint8Array): Promise<Holder | undefined>;
}

export interface HolderCacheOptions<Holder> {
  readonly directory: Directory<Holder>;
  /** How long a result may be used, counted from the start of its lookup. */
  readonly maxAgeMs: number;
  /** Maximum number of cached valid secrets. The same number applies separately to unknown secrets. Default: 50,000. */
  readonly maxKeys?: number;
  /** Limits the lookups of secrets that are not known to be valid; see `unknownSecretsGate`. */
  readonly unknownSecrets?: Gate;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

/**
 * Limits lookups of unknown secrets, because anyone can send thousands of invented secrets per second. Two concurrent
 * lookups are also enough after startup, when no secret is known yet.
 */
export function unknownSecretsGate(): Gate {
  return new Gate({ maxRunning: 2, maxWaiting: 100, maxWaitMs: 1_000 });
}

const MAX_KEYS = 50_000;

/** Thrown if the holder of a key could not be looked up. */
export class DirectoryUnavailable<Holder = unknown> extends Error {
  override readonly name = 'DirectoryUnavailable';

  constructor(
    /** The last known holder. Use it only for the headers of the response. */
    readonly lastHolder: Holder | undefined,
    cause: unknown,
  ) {
    super('The lookup of a key failed.', { cause });
  }
}

interface CachedKey<Holder> {
  readonly holder: Holder | undefined;
  readonly lookedUpAtMs: number;
}

/** The share of `maxAgeMs` after which a result is refreshed in the background. */
const REFRESH_AT = 2 / 3;

/**
 * Caches the holders of keys for up to `maxAgeMs`, and also which keys do not exist. A key in regular use is refreshed
 * in the background, so its requests never wait for a lookup. Each replica rejects a revoked key after `maxAgeMs` at
 * the latest.
 *
 * Anyone can invent keys with a valid checksum. Invented keys never displace valid keys from the cache, and the number
 * of their concurrent lookups is limited.
 */
export class HolderCache<Holder> {
  readonly #options: Required<HolderCacheOptions<Holder>>;
  readonly #known: LRUCache<string, CachedKey<Holder>>;
  readonly #unknown: LRUCache<string, CachedKey<Holder>>;
  readonly #lookups = new Map<string, Promise<Holder | undefined>>();

  constructor(options: HolderCacheOptions<Holder>) {
    const { maxKeys = MAX_KEYS, unknownSecrets = unknownSecretsGate() } = options;
    this.#options = { ...options, maxKeys, unknownSecrets };
    // `max` would allocate the memory for all keys (3 MB) at startup, so `maxSize` is used with a size of 1 per entry.
    const bounds = { maxSize: maxKeys, sizeCalculation: () => 1 };
    this.#known = new LRUCache(bounds);
    this.#unknown = new LRUCache(bounds);
  }

  /** True if the secret had a holder at its last lookup. */
  isKnown(secret: string): boolean {
    return this.#known.has(hash('sha256', secret, 'base64'));
  }

  /** @throws DirectoryUnavailable */
  async findHolder(secret: string): Promise<Holder | undefined> {
    // The lookup uses a digest, so that its duration reveals nothing about the keys.
    const digest = hash('sha256', secret, 'base64');
    const known = this.#known.get(digest) ?? this.#unknown.get(digest);
    const ageMs = known ? this.#options.monotonicMs() - known.lookedUpAtMs : Number.POSITIVE_INFINITY;
    if (known && ageMs < this.#options.maxAgeMs) {
      // A failed refresh is ignored, because the cached result is still valid.
      if (ageMs >= this.#options.maxAgeMs * REFRESH_AT) this.#lookUpOnce(digest).catch(() => undefined);
      return known.holder;
    }
    try {
      return await this.#lookUpOnce(digest);
    } catch (error) {
      throw new DirectoryUnavailable(known?.holder, error);
    }
  }

  /** Starts a lookup, or returns the running lookup of the same key. */
  #lookUpOnce(digest: string): Promise<Holder | undefined> {
    let lookup = this.#lookups.get(digest);
    if (!lookup) {
      lookup = this.#lookUp(digest).finally(() => this.#lookups.delete(digest));
      this.#lookups.set(digest, lookup);
    }
    return lookup;
  }

  async #lookUp(digest: string): Promise<Holder | undefined> {
    const { directory, unknownSecrets, monotonicMs } = this.#options;
    const find = async (): Promise<CachedKey<Holder>> => {
      const lookedUpAtMs = monotonicMs();
      return { holder: await directory.findHolder(Buffer.from(digest, 'base64')), lookedUpAtMs };
    };
    const found = await (this.#known.has(digest) ? find() : unknownSecrets.run(find));
    const [into, outOf] = found.holder ? [this.#known, this.#unknown] : [this.#unknown, this.#known];
    into.set(digest, found);
    outOf.delete(digest);
    return found.holder;
  }
}

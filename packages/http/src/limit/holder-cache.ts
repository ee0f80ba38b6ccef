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
  /** Maximum number of cached known secrets, and separately of unknown ones. Default: 50,000. */
  readonly maxKeys?: number;
  /** Limits lookups of secrets that were unknown at the last lookup; see `strangersGate`. */
  readonly strangers?: Gate;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

/**
 * Limits lookups of unknown secrets, because anyone can invent thousands per second. Two at a time also suffice after a
 * start, when all secrets are unknown.
 */
export function strangersGate(): Gate {
  return new Gate({ maxRunning: 2, maxWaiting: 100, maxWaitMs: 1_000 });
}

const MAX_KEYS = 50_000;

/** The holder of a key could not be looked up. */
export class DirectoryAway<Holder = unknown> extends Error {
  override readonly name = 'DirectoryAway';

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

/** Fraction of `maxAgeMs` after which a result is refreshed in the background. */
const REFRESH_AT = 2 / 3;

/**
 * Caches the holders of keys for up to `maxAgeMs`, including unknown keys. Requests with a busy key need no lookup and
 * do not wait for one. Each replica rejects a revoked key after `maxAgeMs` at the latest.
 *
 * Anyone can invent keys with a valid checksum. Those displace no known keys from the cache, and their concurrent
 * lookups are limited.
 */
export class HolderCache<Holder> {
  readonly #options: Required<HolderCacheOptions<Holder>>;
  readonly #known: LRUCache<string, CachedKey<Holder>>;
  readonly #unknown: LRUCache<string, CachedKey<Holder>>;
  readonly #lookups = new Map<string, Promise<Holder | undefined>>();

  constructor(options: HolderCacheOptions<Holder>) {
    const { maxKeys = MAX_KEYS, strangers = strangersGate() } = options;
    this.#options = { ...options, maxKeys, strangers };
    // `maxSize` with size 1 per entry, because `max` would allocate the memory for all keys (3 MB) at the start.
    const bounds = { maxSize: maxKeys, sizeCalculation: () => 1 };
    this.#known = new LRUCache(bounds);
    this.#unknown = new LRUCache(bounds);
  }

  /** True if the secret had a holder at its last lookup. */
  isHeld(secret: string): boolean {
    return this.#known.has(hash('sha256', secret, 'base64'));
  }

  /** @throws DirectoryAway */
  async holderOf(secret: string): Promise<Holder | undefined> {
    // Looked up by digest, so that lookup times reveal nothing about the keys.
    const digest = hash('sha256', secret, 'base64');
    const known = this.#known.get(digest) ?? this.#unknown.get(digest);
    const ageMs = known ? this.#options.monotonicMs() - known.lookedUpAtMs : Number.POSITIVE_INFINITY;
    if (known && ageMs < this.#options.maxAgeMs) {
      // The error is ignored, because the cached result is still valid.
      if (ageMs >= this.#options.maxAgeMs * REFRESH_AT) this.#lookUpOnce(digest).catch(() => undefined);
      return known.holder;
    }
    try {
      return await this.#lookUpOnce(digest);
    } catch (error) {
      throw new DirectoryAway(known?.holder, error);
    }
  }

  /** Concurrent callers share the lookup of a key. */
  #lookUpOnce(digest: string): Promise<Holder | undefined> {
    let lookup = this.#lookups.get(digest);
    if (!lookup) {
      lookup = this.#lookUp(digest).finally(() => this.#lookups.delete(digest));
      this.#lookups.set(digest, lookup);
    }
    return lookup;
  }

  async #lookUp(digest: string): Promise<Holder | undefined> {
    const { directory, strangers, monotonicMs } = this.#options;
    const find = async (): Promise<CachedKey<Holder>> => {
      const lookedUpAtMs = monotonicMs();
      return { holder: await directory.findHolder(Buffer.from(digest, 'base64')), lookedUpAtMs };
    };
    const found = await (this.#known.has(digest) ? find() : strangers.run(find));
    const [into, outOf] = found.holder ? [this.#known, this.#unknown] : [this.#unknown, this.#known];
    into.set(digest, found);
    outOf.delete(digest);
    return found.holder;
  }
}

import { hash } from 'node:crypto';
import { Gate } from '@artist-watch/runtime/gate';
import { LRUCache } from 'lru-cache';

export interface Directory<Holder> {
  findHolder(secretSha256: Uint8Array): Promise<Holder | undefined>;
}

export interface HolderCacheOptions<Holder> {
  readonly directory: Directory<Holder>;
  /** A result's age is measured from the start of its lookup. */
  readonly maxAgeMs: number;
  /** Applies separately to valid and unknown secrets. Default: 50,000. */
  readonly maxKeys?: number;
  readonly unknownSecrets?: Gate;
  readonly monotonicMs: () => number;
}

/** Limits lookups of unknown secrets, because clients can make up thousands of secrets per second. */
export function unknownSecretsGate(): Gate {
  return new Gate({ maxRunning: 2, maxWaiting: 100, maxWaitMs: 1_000 });
}

const MAX_KEYS = 50_000;

export class DirectoryUnavailable<Holder = unknown> extends Error {
  override readonly name = 'DirectoryUnavailable';

  constructor(
    /** The last known holder. Only use it for response headers. */
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

/** Once a result has reached this fraction of `maxAgeMs`, using it triggers a refresh in the background. */
const REFRESH_AT = 2 / 3;

/**
 * Caches each key's holder, or that the key doesn't exist, for up to `maxAgeMs`. Keys in regular use are refreshed in
 * the background.
 *
 * Made-up keys never evict valid keys.
 */
export class HolderCache<Holder> {
  readonly #options: Required<HolderCacheOptions<Holder>>;
  readonly #known: LRUCache<string, CachedKey<Holder>>;
  readonly #unknown: LRUCache<string, CachedKey<Holder>>;
  readonly #lookups = new Map<string, Promise<Holder | undefined>>();

  constructor(options: HolderCacheOptions<Holder>) {
    const { maxKeys = MAX_KEYS, unknownSecrets = unknownSecretsGate() } = options;
    this.#options = { ...options, maxKeys, unknownSecrets };
    // Unlike `maxSize`, `max` would allocate memory for all keys (3 MB) at startup.
    const bounds = { maxSize: maxKeys, sizeCalculation: () => 1 };
    this.#known = new LRUCache(bounds);
    this.#unknown = new LRUCache(bounds);
  }

  /** Only use it to limit requests, because the secret may have been revoked. */
  lastHolder(secret: string): Holder | undefined {
    return this.#known.peek(hash('sha256', secret, 'base64'))?.holder;
  }

  /** @throws DirectoryUnavailable */
  async findHolder(secret: string): Promise<Holder | undefined> {
    // Looks up a digest, so that the lookup time reveals nothing about the keys.
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

import { hash } from 'node:crypto';
import { Gate } from '@artist-watch/runtime/gate';
import { LRUCache } from 'lru-cache';

/** Finds whose secret this is. Rejects when it cannot tell. */
export interface Directory<Holder> {
  findHolder(secretSha256: Uint8Array): Promise<Holder | undefined>;
}

export interface HolderCacheOptions<Holder> {
  readonly directory: Directory<Holder>;
  /** For how long an answer of the directory is believed, counted from when it was asked. */
  readonly maxAgeMs: number;
  /** Of secrets that somebody has, and as many again of unknown ones. Default: 50,000. */
  readonly maxKeys?: number;
  /** For secrets that were not known at the last look-up; see `strangersGate`. */
  readonly strangers?: Gate;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs: () => number;
}

/**
 * Limits look-ups of unknown secrets: anyone can invent thousands a second. Two connections also find as many real ones
 * after a start, when none is known.
 */
export function strangersGate(): Gate {
  return new Gate({ maxRunning: 2, maxWaiting: 100, maxWaitMs: 1_000 });
}

const MAX_KEYS = 50_000;

/** The directory could not tell whose key it is. */
export class DirectoryAway<Holder = unknown> extends Error {
  override readonly name = 'DirectoryAway';

  constructor(
    /** Whose it was when it was last known; for nothing but the headers of the answer. */
    readonly lastHolder: Holder | undefined,
    cause: unknown,
  ) {
    super('The directory of keys did not answer.', { cause });
  }
}

interface CachedKey<Holder> {
  readonly holder: Holder | undefined;
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
export class HolderCache<Holder> {
  readonly #options: Required<HolderCacheOptions<Holder>>;
  readonly #held: LRUCache<string, CachedKey<Holder>>;
  readonly #unheld: LRUCache<string, CachedKey<Holder>>;
  readonly #asking = new Map<string, Promise<Holder | undefined>>();

  constructor(options: HolderCacheOptions<Holder>) {
    const { maxKeys = MAX_KEYS, strangers = strangersGate() } = options;
    this.#options = { ...options, maxKeys, strangers };
    // By size, though each counts for one: `max` would take the memory of all keys at the start, 3 MB.
    const bounds = { maxSize: maxKeys, sizeCalculation: () => 1 };
    this.#held = new LRUCache(bounds);
    this.#unheld = new LRUCache(bounds);
  }

  /** Was it somebody's at the last look-up? Such a secret is no stranger's, even if it is looked up again. */
  isHeld(secret: string): boolean {
    return this.#held.has(hash('sha256', secret, 'base64'));
  }

  /** @throws DirectoryAway */
  async holderOf(secret: string): Promise<Holder | undefined> {
    // The directory and this cache know a key by its digest only; whose digest it is cannot be told from how long it takes.
    const digest = hash('sha256', secret, 'base64');
    const known = this.#held.get(digest) ?? this.#unheld.get(digest);
    const ageMs = known ? this.#options.monotonicMs() - known.askedAtMs : Number.POSITIVE_INFINITY;
    if (known && ageMs < this.#options.maxAgeMs) {
      // A failure is for the request that cannot do without the answer.
      if (ageMs >= this.#options.maxAgeMs * ASK_AGAIN_AT) this.#askOnce(digest).catch(() => undefined);
      return known.holder;
    }
    try {
      return await this.#askOnce(digest);
    } catch (error) {
      throw new DirectoryAway(known?.holder, error);
    }
  }

  /** Whoever asks while the same question is out waits for its answer. */
  #askOnce(digest: string): Promise<Holder | undefined> {
    let asking = this.#asking.get(digest);
    if (!asking) {
      asking = this.#ask(digest).finally(() => this.#asking.delete(digest));
      this.#asking.set(digest, asking);
    }
    return asking;
  }

  async #ask(digest: string): Promise<Holder | undefined> {
    const { directory, strangers, monotonicMs } = this.#options;
    const lookUp = async (): Promise<CachedKey<Holder>> => {
      const askedAtMs = monotonicMs();
      return { holder: await directory.findHolder(Buffer.from(digest, 'base64')), askedAtMs };
    };
    const found = await (this.#held.has(digest) ? lookUp() : strangers.run(lookUp));
    const [into, outOf] = found.holder ? [this.#held, this.#unheld] : [this.#unheld, this.#held];
    into.set(digest, found);
    outOf.delete(digest);
    return found.holder;
  }
}

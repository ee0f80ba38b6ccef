import type { Principal } from '@artist-watch/domain/account/actor';
import type { AccountId } from '@artist-watch/domain/ids';

/** Where counts are written down. Rejects when it cannot. */
export interface UsageSink {
  add(seen: {
    readonly requests: readonly { readonly accountId: AccountId; readonly day: string; readonly count: number }[];
    readonly keys: readonly { readonly keyId: Principal['keyId']; readonly lastUsedAt: Date }[];
  }): Promise<void>;
}

/**
 * Counts requests by account and UTC day, and remembers when each key was last used, so that no request waits for it to be
 * written: that is done for many at once, now and then. A process that is killed loses what it has not written.
 */
export class UsageCount {
  #days = new Map<string, Map<AccountId, number>>();
  #keys = new Map<Principal['keyId'], Date>();

  /** Of a request that was let in. */
  count({ accountId, keyId }: Principal, at: Date): void {
    const day = at.toISOString().slice(0, 10);
    let accounts = this.#days.get(day);
    if (!accounts) {
      accounts = new Map();
      this.#days.set(day, accounts);
    }
    accounts.set(accountId, (accounts.get(accountId) ?? 0) + 1);
    this.#keys.set(keyId, at);
  }

  /** Writes what was counted since the last time. What could not be written stays for the next time. */
  async writeTo(sink: UsageSink): Promise<void> {
    const [days, keys] = [this.#days, this.#keys];
    if (keys.size === 0) return;
    [this.#days, this.#keys] = [new Map(), new Map()];
    const requests = [...days].flatMap(([day, accounts]) =>
      [...accounts].map(([accountId, count]) => ({ accountId, day, count })),
    );
    try {
      await sink.add({ requests, keys: [...keys].map(([keyId, lastUsedAt]) => ({ keyId, lastUsedAt })) });
    } catch (error) {
      this.#putBack(requests, keys);
      throw error;
    }
  }

  #putBack(
    requests: readonly { readonly accountId: AccountId; readonly day: string; readonly count: number }[],
    keys: ReadonlyMap<Principal['keyId'], Date>,
  ): void {
    for (const { accountId, day, count } of requests) {
      const accounts = this.#days.get(day) ?? new Map<AccountId, number>();
      this.#days.set(day, accounts);
      accounts.set(accountId, (accounts.get(accountId) ?? 0) + count);
    }
    for (const [keyId, at] of keys) if (!this.#keys.has(keyId)) this.#keys.set(keyId, at);
  }
}

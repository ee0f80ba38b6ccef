import type { Principal } from '@artist-watch/domain/account/actor';
import type { AccountId } from '@artist-watch/domain/ids';
import type { SeenUsage } from '@artist-watch/persistence/account/usage-store';

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

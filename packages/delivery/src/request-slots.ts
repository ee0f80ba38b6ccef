/** Limits concurrent requests, so that an account with slow receivers leaves slots for other accounts. */
export interface SlotLimits {
  readonly slots: number;
  readonly perAccount: number;
  /** Applies to each combination of account, host and port. */
  readonly perTarget: number;
  readonly waitingPerAccount: number;
  readonly maxWaitMs: number;
}

export function slotLimits(slots: number): SlotLimits {
  const perAccount = Math.max(1, Math.floor(slots / 8));
  return { slots, perAccount, perTarget: 16, waitingPerAccount: 2 * perAccount, maxWaitMs: 2_000 };
}

export interface SlotUser {
  readonly accountId: string;
  /** Host and port. */
  readonly target: string;
}

interface Waiter extends SlotUser {
  admit(isAdmitted: boolean): void;
}

export class RequestSlots {
  readonly #limits: SlotLimits;
  readonly #used = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #inUse = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Returns false if no slot became free in time, or if the account already has too many requests waiting. */
  enter(user: SlotUser): Promise<boolean> | boolean {
    if (this.#isFree(user)) {
      this.#add(user, 1);
      return true;
    }
    const waitingKey = `waiting ${user.accountId}`;
    if (this.#count(waitingKey) >= this.#limits.waitingPerAccount) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        ...user,
        admit: (isAdmitted) => {
          clearTimeout(timeout);
          this.#waiting.delete(waiter);
          this.#change(waitingKey, -1);
          resolve(isAdmitted);
        },
      };
      const timeout = setTimeout(() => waiter.admit(false), this.#limits.maxWaitMs);
      this.#waiting.add(waiter);
      this.#change(waitingKey, 1);
    });
  }

  leave(user: SlotUser): void {
    this.#add(user, -1);
    for (const waiter of this.#waiting) {
      if (this.#inUse >= this.#limits.slots) return;
      if (!this.#isFree(waiter)) continue;
      this.#add(waiter, 1);
      waiter.admit(true);
    }
  }

  #isFree({ accountId, target }: SlotUser): boolean {
    const { slots, perAccount, perTarget } = this.#limits;
    return (
      this.#inUse < slots && this.#count(accountId) < perAccount && this.#count(`${accountId} ${target}`) < perTarget
    );
  }

  #add({ accountId, target }: SlotUser, count: 1 | -1): void {
    this.#inUse += count;
    this.#change(accountId, count);
    this.#change(`${accountId} ${target}`, count);
  }

  #count(key: string): number {
    return this.#used.get(key) ?? 0;
  }

  #change(key: string, by: 1 | -1): void {
    const count = this.#count(key) + by;
    if (count === 0) this.#used.delete(key);
    else this.#used.set(key, count);
  }
}

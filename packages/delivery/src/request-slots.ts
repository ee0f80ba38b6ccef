interface SlotUser {
  readonly accountId: string;
  /** Host and port. */
  readonly target: string;
}

interface Waiter extends SlotUser {
  admit(isAdmitted: boolean): void;
}

/** Applies to each combination of account, host and port. */
const MAX_PER_TARGET = 16;

/** Limits concurrent requests, so that an account with slow receivers leaves slots for other accounts. */
export class RequestSlots {
  readonly #perAccount: number;
  readonly #used = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #inUse = 0;

  constructor(
    readonly slots: number,
    readonly maxWaitMs = 2_000,
  ) {
    this.#perAccount = Math.max(1, Math.floor(slots / 8));
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
    if ((this.#used.get(waitingKey) ?? 0) >= 2 * this.#perAccount) return false;
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
      const timeout = setTimeout(() => waiter.admit(false), this.maxWaitMs);
      this.#waiting.add(waiter);
      this.#change(waitingKey, 1);
    });
  }

  leave(user: SlotUser): void {
    this.#add(user, -1);
    for (const waiter of this.#waiting) {
      if (this.#inUse >= this.slots) return;
      if (!this.#isFree(waiter)) continue;
      this.#add(waiter, 1);
      waiter.admit(true);
    }
  }

  #isFree({ accountId, target }: SlotUser): boolean {
    const ofAccount = this.#used.get(accountId) ?? 0;
    const ofTarget = this.#used.get(`${accountId} ${target}`) ?? 0;
    return this.#inUse < this.slots && ofAccount < this.#perAccount && ofTarget < MAX_PER_TARGET;
  }

  #add({ accountId, target }: SlotUser, count: 1 | -1): void {
    this.#inUse += count;
    this.#change(accountId, count);
    this.#change(`${accountId} ${target}`, count);
  }

  #change(key: string, by: 1 | -1): void {
    const count = (this.#used.get(key) ?? 0) + by;
    if (count === 0) this.#used.delete(key);
    else this.#used.set(key, count);
  }
}

import type { RequestUrgency } from './request-budget.js';

export interface WaitingRequests {
  readonly requests: number;
  readonly urgency: RequestUrgency;
  /** Requests without an account are charged to one shared account. */
  readonly account: string | undefined;
  readonly signal: AbortSignal;
  grant(): void;
  reject(reason: unknown): void;
}

/**
 * Start-time fair queuing (Goyal, Vin, Cheng, 1996): accounts with few requests are served soon, even if another
 * account has many.
 */
export class WaitingLine {
  readonly #starts = new Map<WaitingRequests, number>();
  readonly #endOfAccount = new Map<string | undefined, number>();
  #grantedStart = 0;

  get size(): number {
    return this.#starts.size;
  }

  add(waiting: WaitingRequests): void {
    const { account, requests } = waiting;
    const start = Math.max(this.#grantedStart, this.#endOfAccount.get(account) ?? 0);
    this.#starts.set(waiting, start);
    this.#endOfAccount.set(account, start + requests);
  }

  advanceTo(waiting: WaitingRequests): void {
    this.#grantedStart = Math.max(this.#grantedStart, this.#starts.get(waiting) ?? 0);
    for (const [account, end] of this.#endOfAccount) if (end <= this.#grantedStart) this.#endOfAccount.delete(account);
  }

  delete(waiting: WaitingRequests): void {
    this.#starts.delete(waiting);
    if (this.#starts.size === 0) this.#endOfAccount.clear();
  }

  inOrder(): WaitingRequests[] {
    return [...this.#starts].sort(([, a], [, b]) => a - b).map(([waiting]) => waiting);
  }
}

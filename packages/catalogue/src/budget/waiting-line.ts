import type { RequestUrgency } from './request-budget.js';

export interface WaitingRequests {
  readonly requests: number;
  readonly urgency: RequestUrgency;
  /** The account that is charged. All requests without an account are charged together. */
  readonly account: string | undefined;
  readonly signal: AbortSignal;
  grant(): void;
  reject(reason: unknown): void;
}

/**
 * Waiting requests of one urgency, shared fairly between accounts with start-time fair queuing (Goyal, Vin, Cheng,
 * 1996). Each entry gets a start tag: the end of its account's previous entry, or the start of the last granted entry
 * if that is later. The entry with the lowest start goes first. An account with few requests is therefore served soon,
 * however many requests another account sends.
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

  /** Moves the virtual time of the queue to the start of a granted entry. */
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

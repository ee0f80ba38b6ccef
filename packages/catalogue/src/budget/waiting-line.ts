import type { RequestUrgency } from './request-budget.js';

export interface WaitingRequests {
  readonly requests: number;
  readonly urgency: RequestUrgency;
  /** The account that is charged. Requests without one are charged together. */
  readonly account: string | undefined;
  readonly signal: AbortSignal;
  grant(): void;
  reject(reason: unknown): void;
}

/**
 * Callers of one urgency. Accounts share by requests, not by callers: start-time fair queuing (Goyal, Vin, Cheng,
 * 1996). Each caller starts where its account's last caller ends, but not before the caller that was granted last; the
 * earliest start goes first. So an account that sends little is served soon, however much another one sends.
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

  /** Advances the line to a granted caller. */
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

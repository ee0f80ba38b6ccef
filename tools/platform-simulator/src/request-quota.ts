export interface QuotaLimits {
  /** Requests that a client may send … */
  readonly requests: number;
  /** … within any span of this length, in milliseconds. */
  readonly windowMs: number;
}

/** The platform's own limit: a sliding window for each client address. What is refused does not count. */
export class RequestQuota {
  readonly #admittedAt = new Map<string, number[]>();

  /** `undefined` lifts the limit. */
  constructor(public limits: QuotaLimits | undefined) {}

  /** 0 when the request is admitted, else the milliseconds until one would be. */
  admit(client: string, nowMs: number): number {
    if (!this.limits) return 0;
    const { requests, windowMs } = this.limits;
    const recent = (this.#admittedAt.get(client) ?? []).filter((at) => at > nowMs - windowMs);
    this.#admittedAt.set(client, recent);
    if (recent.length < requests) {
      recent.push(nowMs);
      return 0;
    }
    const oldest = recent[recent.length - requests] ?? nowMs;
    return oldest + windowMs - nowMs;
  }
}

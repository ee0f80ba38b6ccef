import type { Clock } from '@artist-watch/runtime/clock';
import type { Request, Response } from 'express';
import type { QuirkDice, RequestedPath } from './quirks/quirk-dice.js';
import type { World } from './world/world.js';

export interface QuotaLimits {
  readonly requests: number;
  readonly windowMs: number;
}

/** A sliding window per client IP address. Rejected requests don't count. */
export class RequestQuota {
  readonly #admittedAt = new Map<string, number[]>();

  constructor(public limits: QuotaLimits | undefined) {}

  /** Returns 0 if the request is admitted, or else the milliseconds until it would be. */
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

export class RequestLog {
  #total = 0;
  readonly #byPath = new Map<string, number>();

  /** Returns how many requests there have been for this path, including this one. */
  record(path: string): number {
    this.#total++;
    const ordinal = (this.#byPath.get(path) ?? 0) + 1;
    this.#byPath.set(path, ordinal);
    return ordinal;
  }

  clear(): void {
    this.#total = 0;
    this.#byPath.clear();
  }

  counts(): { readonly total: number; readonly byPath: Record<string, number> } {
    return { total: this.#total, byPath: Object.fromEntries(this.#byPath) };
  }
}

export interface PlatformContext {
  readonly world: World;
  readonly dice: QuirkDice;
  readonly quota: RequestQuota;
  readonly log: RequestLog;
  readonly clock: Clock;
  readonly homeCountry: string;
}

export interface ErrorFormat {
  noData(response: Response): void;
  quota(response: Response, retryAfterMs: number): void;
  busy(response: Response): void;
}

const REQUESTED_PATH = 'requestedPath';

export function rememberPath(response: Response, requested: RequestedPath): void {
  response.locals[REQUESTED_PATH] = requested;
}

export function requestedPath(response: Response): RequestedPath {
  return response.locals[REQUESTED_PATH] as RequestedPath;
}

export function clientAddress(request: Request): string {
  return request.socket.remoteAddress ?? 'unknown';
}

/** The quirk `foreignCountry` changes the country for `holdMs`, as if the egress IP address had changed. */
export function clientCountry(context: PlatformContext, request: Request, response: Response): string {
  const holdMs = context.dice.quirks.foreignCountry?.holdMs ?? 0;
  const span = holdMs > 0 ? Math.floor(context.clock.now().getTime() / holdMs) : requestedPath(response).ordinal;
  const path = requestedPath(response).path;
  const abroad = context.dice.strikeForKey('foreignCountry', path, `${clientAddress(request)} ${span}`);
  return abroad?.country ?? context.homeCountry;
}

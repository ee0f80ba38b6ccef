import type { Clock } from '@artist-watch/runtime/clock';
import type { Request, Response } from 'express';
import type { AskedPath, QuirkDice } from './quirks/quirk-dice.js';
import type { World } from './world/world.js';

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

/** Counts the requests by path and query, so that a test can show what was asked and how often. */
export class RequestLog {
  #total = 0;
  readonly #byPath = new Map<string, number>();

  /** Answers the how-manieth request for this path it is, from 1. */
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

/** What every dialect answers from. */
export interface PlatformContext {
  readonly world: World;
  readonly dice: QuirkDice;
  readonly quota: RequestQuota;
  readonly log: RequestLog;
  readonly clock: Clock;
  /** Where the platform takes its callers to be, unless a quirk strikes. */
  readonly homeCountry: string;
}

/** How a dialect words the troubles that every platform has. */
export interface TroubleWording {
  noData(response: Response): void;
  quota(response: Response, retryAfterMs: number): void;
  busy(response: Response): void;
}

const ASKED = 'asked';

export function rememberAsked(response: Response, asked: AskedPath): void {
  response.locals[ASKED] = asked;
}

export function askedOf(response: Response): AskedPath {
  return response.locals[ASKED] as AskedPath;
}

export function clientOf(request: Request): string {
  return request.socket.remoteAddress ?? 'unknown';
}

/**
 * The country that the platform takes the caller to be in. The quirk holds for a span of time, as when an egress pool
 * moves to another exit.
 */
export function countryOf(context: PlatformContext, request: Request, response: Response): string {
  const holdMs = context.dice.quirks.foreignCountry?.holdMs ?? 0;
  const span = holdMs > 0 ? Math.floor(context.clock.now().getTime() / holdMs) : askedOf(response).ordinal;
  const path = askedOf(response).path;
  const abroad = context.dice.strikeHeld('foreignCountry', path, `${clientOf(request)} ${span}`);
  return abroad?.country ?? context.homeCountry;
}

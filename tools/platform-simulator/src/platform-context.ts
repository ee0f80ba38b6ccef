import type { Clock } from '@artist-watch/runtime/clock';
import type { Request, Response } from 'express';
import type { AskedPath, QuirkDice } from './quirks/quirk-dice.js';
import type { RequestLog } from './request-log.js';
import type { RequestQuota } from './request-quota.js';
import type { World } from './world/world.js';

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
